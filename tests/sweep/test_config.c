/* Sweep files: what a good one means, and that every bad one is refused at its place. */
#include <stdio.h>

#include "engine/base/sha256.h"
#include "tests/sweep/config_help.h"
#include "tests/test.h"

TEST(test_example)
{
    struct config *c;
    struct message m;
    char sha[65];
    assert_int_equal(config_read("configs/gather.yaml", NULL, 0, &c, &m), STATUS_OK);
    assert_string_equal(c->path, "configs/gather.yaml");
    assert_string_equal(c->name, "gather");
    assert_string_equal(c->question, "How many heads does it take to look at four places at once?");
    sha256_hex(c->text, c->size, sha);
    assert_string_equal(c->sha256, sha);
    assert_string_equal(c->axis[0].path, "task.name");
    assert_string_equal(c->axis[c->axes - 1].path, "train.eval_every");
    const struct axis *heads = axis_of(c, "model.heads");
    assert_int_equal(heads->values, 6);
    assert_true(heads->listed);
    assert_int_equal(heads->place.line, 10);
    assert_int_equal(heads->value[5].place.line, 10);
    assert_int_equal(heads->value[5].place.column, 27);
    assert_string_equal(heads->value[5].scalar[0], "32");
    const struct axis *warmup = axis_of(c, "train.schedule.warmup");
    assert_int_equal(warmup->values, 1);
    assert_false(warmup->listed);
    assert_string_equal(warmup->value[0].scalar[0], "75");
    assert_int_equal(c->method, METHOD_GRID);
    assert_int_equal(c->seeds, 8);
    assert_int_equal(c->seed[7], 7);
    assert_int_equal(c->metric, METRIC_VAL_ACC);
    assert_int_equal(c->retries, 2);
    assert_int_equal(c->workers, 0);
    assert_int_equal(c->run_cap, 100000);
    assert_int_equal(c->tune_seeds, 3);
    assert_false(c->has_claim);
    assert_each(c->limit_time_s == 0, c->limit_memory == 0);
    config_free(c);
}

TEST(test_everything)
{
    struct config *c;
    struct message m;
    if (config_read("tests/data/yaml/everything.yaml", NULL, 0, &c, &m))
        fail_msg("%s", m.text);
    assert_string_equal(c->name, "all-of.it_1");
    assert_string_equal(c->question, "Every key that there is.");
    assert_string_equal(c->axis[0].path, "task.length"); /* the file's order, not the tasks' */
    const struct axis *offsets = axis_of(c, "task.offsets");
    assert_int_equal(offsets->values, 2);
    assert_int_equal(offsets->value[1].scalars, 2);
    assert_string_equal(offsets->value[1].scalar[0], "2");
    assert_int_equal(axis_of(c, "model.heads")->values, 4);
    assert_int_equal(axis_of(c, "model.dropout")->kind, AXIS_UNIFORM);
    assert_int_equal(axis_of(c, "model.d_ff")->kind, AXIS_INT_UNIFORM);
    const struct axis *lr = axis_of(c, "train.lr");
    assert_int_equal(lr->kind, AXIS_LOG_UNIFORM);
    assert_each(lr->min == 1e-4, lr->max == 1e-2, lr->listed);
    assert_int_equal(c->method, METHOD_RANDOM);
    assert_int_equal(c->samples, 40);
    assert_int_equal(c->sampler_seed, 4294967295);
    assert_int_equal(c->seeds, 3);
    assert_int_equal(c->seed[0], 7);
    assert_int_equal(c->metric, METRIC_VAL_LOSS);
    assert_string_equal(metric_goal(c->metric), "minimize");
    assert_int_equal(c->constraints, 2);
    assert_int_equal(c->excluded, 2);
    assert_int_equal(c->exclude[0].pairs, 3);
    assert_int_equal(c->exclude[0].value[1].scalars, 2);
    assert_int_equal(c->tune, 2);
    assert_string_equal(c->tune_path[1], "model.dropout");
    assert_int_equal(c->tune_seeds, 2);
    assert_true(c->limit_time_s == 5400);
    assert_int_equal(c->limit_memory, 512 << 20);
    assert_true(c->has_claim);
    assert_int_equal(c->claim.best, 2);
    assert_int_equal(c->claim.over_count, 2);
    assert_int_equal(c->claim.over[1], 4);
    assert_int_equal(c->retries, 0);
    assert_int_equal(c->workers, 3);
    assert_int_equal(c->run_cap, 200);
    config_free(c);
}

#define TASK "task: {name: gather}\n"

TEST(test_keys)
{
    static const struct refusal list[] = {
        {"seeds: 5\n", "s.yaml:1:1: missing key 'task': what to learn"},
        {"task: {length: 4}\n", "s.yaml:1:7: missing key 'name' under task"},
        {"task: gather\n",
         "s.yaml:1:7: task must be a mapping, not a single value; write {name: gather}"},
        {"task:\nseeds: 5\n", "s.yaml:1:6: task must be a mapping, not empty"},
        {"task: {name: gathr}\n", "s.yaml:1:14: there is no task 'gathr' (did you mean gather?); "
                                  "see: headcount tasks"},
        {"task: {name: []}\n",
         "s.yaml:1:14: task.name is an empty list; give it at least one task"},
        {TASK "model:\n\xc2\xa0 heads: 1\n",
         "s.yaml:3:1: unknown key '\\u00a0 heads' (did you mean model.heads?)"},
        {TASK "seeds\xe2\x80\x8b: 3\n",
         "s.yaml:2:1: unknown key 'seeds\\u200b' (did you mean seeds?)"},
        {TASK "model: {\xe2\x80\xae"
              "heads: 1}\n",
         "s.yaml:2:9: unknown key '\\u202eheads' under model (did you mean heads?)"},
        {TASK "tune: {\"ax\\xades\": [train.lr]}\n",
         "s.yaml:2:8: unknown key 'ax\\u00ades' under tune (did you mean axes?)"},
        {TASK "claim: {b\xc2\xad"
              "est: 4}\n",
         "s.yaml:2:9: unknown key 'b\\u00adest' under claim (did you mean best?)"},
        {TASK "modle: {heads: 1}\n", "s.yaml:2:1: unknown key 'modle' (did you mean model?)"},
        {TASK "model: {d_modle: 32}\n",
         "s.yaml:2:9: unknown key 'd_modle' under model (did you mean d_model?)"},
        {TASK "model:\n  hidden_size: 32\n", "s.yaml:3:3: unknown key 'hidden_size' under model "
                                             "(did you mean model.d_model?)"},
        {TASK "model.heads: 4\n", "s.yaml:2:1: unknown key 'model.heads'; write heads under model"},
        {TASK "<<: {heads: 1}\n", "s.yaml:2:1: unknown key '<<'"},
        {TASK "train:\n  schedule: {name: cosine, warmpu: 5}\n",
         "s.yaml:3:28: unknown key 'warmpu' under train.schedule (did you mean warmup?)"},
        {TASK "train: {schedule: cosine}\n",
         "s.yaml:2:19: train.schedule must be a mapping, not a single value; write {name: cosine}"},
        {TASK "train: {schedule.name: cosine}\n",
         "s.yaml:2:9: unknown key 'schedule.name'; write name under train.schedule"},
        {TASK "train: {dropout: .1}\n",
         "s.yaml:2:9: unknown key 'dropout' under train (did you mean model.dropout?)"},
        {TASK "model: {seeds: 3}\n",
         "s.yaml:2:9: unknown key 'seeds' under model; move it to the top level, beside task, "
         "model and train"},
        {TASK "program: train.py\n",
         "s.yaml:2:1: unknown key 'program': only W&B needs it; remove it"},
        {TASK "parameters: {learning_rate: {value: 1}, x: {value: 1}, dropout: {value: 0}}\n",
         "s.yaml:2:1: unknown key 'parameters' (of W&B); move the keys under it to task, model and "
         "train (learning_rate is train.lr, dropout is model.dropout)"},
        {TASK "parameters: {x: {value: 1}}\n",
         "s.yaml:2:1: unknown key 'parameters' (of W&B); move the keys under it to task, model and "
         "train"},
        {"task: {name: [reverse, gather], slots: 2}\n",
         "s.yaml:1:33: task reverse, which task.name lists, has no option 'slots'"},
        {"task: {name: gather, slosts: 2}\n",
         "s.yaml:1:22: unknown key 'slosts' under task (did you mean slots?)"},
        {"task: {name: gather, version: 2}\n", "s.yaml:1:22: unknown key 'version' under task"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(test_values)
{
    static const struct refusal list[] = {
        {TASK "model: {heads: 0}\n", "s.yaml:2:16: model.heads is 0; allowed: 1 to 65536"},
        {TASK "model: {heads: [1, -4]}\n", "s.yaml:2:20: model.heads is -4; allowed: 1 to 65536"},
        {TASK "model:\n  heads:\n    - 1\n    - 2.5\n",
         "s.yaml:5:7: model.heads is 2.5, but must be a whole number, written without point or "
         "exponent; allowed: 1 to 65536"},
        {TASK "model: {heads: 1000000000}\n",
         "s.yaml:2:16: model.heads is 1000000000; allowed: 1 to 65536"},
        {TASK "model: {d_model: 32.0}\n",
         "s.yaml:2:18: model.d_model is 32.0, but must be a whole number, written without point "
         "or exponent; allowed: 1 to 65536"},
        {TASK "model: {heads: 08}\n",
         "s.yaml:2:16: model.heads is 08, with a leading zero that some readers take for octal; "
         "allowed: 1 to 65536"},
        {TASK "model: {heads: '4'}\n",
         "s.yaml:2:16: model.heads is \"4\", a quoted string, where a number is expected; write it "
         "without quotes; allowed: 1 to 65536"},
        {TASK "model: {heads: ~}\n",
         "s.yaml:2:16: model.heads is ~, which means no value; allowed: 1 to 65536"},
        {TASK "model:\n  heads:\n", "s.yaml:3:9: model.heads is empty; allowed: 1 to 65536"},
        {TASK "model: {heads: no}\n",
         "s.yaml:2:16: model.heads is no, which is not a number; allowed: 1 to 65536"},
        {TASK "model: {norm: prenorm}\n", "s.yaml:2:15: model.norm is prenorm; allowed: pre, post"},
        {TASK "train: {lr: 0}\n", "s.yaml:2:13: train.lr is 0; allowed: above 0, up to 1000"},
        {TASK "train: {lr: -1e-3}\n",
         "s.yaml:2:13: train.lr is -1e-3; allowed: above 0, up to 1000"},
        {TASK "train: {lr: 1e400}\n",
         "s.yaml:2:13: train.lr is 1e400, which is too large for a number; allowed: above 0, up "
         "to 1000"},
        {TASK "train: {lr: .nan}\n",
         "s.yaml:2:13: train.lr is .nan, which is not a finite number; allowed: above 0, up to "
         "1000"},
        {TASK "train: {lr: -.inf}\n",
         "s.yaml:2:13: train.lr is -.inf, which is not a finite number; allowed: above 0, up to "
         "1000"},
        {TASK "train: {batch: 0}\n", "s.yaml:2:16: train.batch is 0; allowed: 1 to 1000000"},
        {"task: {name: gather, vocab: 1}\n", "s.yaml:1:29: task.vocab is 1; allowed: 2 to 65536"},
        {"task: {name: gather, length: 0}\n", "s.yaml:1:30: task.length is 0; allowed: 1 to 4096"},
        {"task: {name: hist, bos: yes}\n", "s.yaml:1:25: task.bos is yes; allowed: true, false"},
        {"task: {name: reverse, instance: 1}\n",
         "s.yaml:1:33: task.instance is 1; allowed: only 0"},
        {TASK "model: {heads: []}\n",
         "s.yaml:2:16: model.heads is an empty list; give it at least one value"},
        {TASK "model: {heads: [1, [2, 4]]}\n",
         "s.yaml:2:20: a list inside the list of model.heads; its items are single values"},
        {TASK "model: {heads: [{values: [1]}]}\n",
         "s.yaml:2:17: a mapping inside the list of model.heads; its items are single values"},
        {"task: {name: gather, length: {value: 8, values: [8]}}\n",
         "s.yaml:1:41: unknown key 'values' under task.length (did you mean value?)"},
        {"task: {name: gather, length: {value: [8]}}\n",
         "s.yaml:1:38: a list inside the list of task.length; its items are single values"},
        {"task: {name: gather, offsets: 3}\n",
         "s.yaml:1:31: task.offsets must be a list, not a single value; write [3]"},
        {"task: {name: gather, offsets: [[1], 3]}\n",
         "s.yaml:1:37: task.offsets must be a list, not a single value; write [3]"},
        {"task: {name: gather, offsets: [1, [3]]}\n",
         "s.yaml:1:35: a list inside task.offsets, which is a list of numbers"},
        {"task: {name: gather, offsets: [1, 5000]}\n",
         "s.yaml:1:35: task.offsets is 5000; allowed: -4095 to 4095"},
    };
    ASSERT_ALL_REFUSED(list);
}

#define RANDOM TASK "method: random\nsamples: 3\n"

TEST(test_distributions)
{
    static const struct refusal list[] = {
        {TASK "train: {lr: {min: 1e-4, max: 1e-2}}\n",
         "s.yaml:2:13: train.lr is a distribution, which needs method: random and samples: N"},
        {TASK "train: {lr: {min: 1e-4, max: 1e-2}}\nmethod: bayes\n",
         "s.yaml:3:9: the method bayes is not supported: it would try some head counts more often "
         "than others; use grid or random"},
        {TASK "method: hyperband\n", "s.yaml:2:9: method is hyperband; allowed: grid, random"},
        {TASK "method: random\n",
         "s.yaml:2:9: method: random needs samples: N, the number of draws"},
        {TASK "samples: 3\n", "s.yaml:2:1: samples is for method: random only"},
        {TASK "sampler_seed: 3\n", "s.yaml:2:1: sampler_seed is for method: random only"},
        {RANDOM "sampler_seed: 4294967296\n",
         "s.yaml:4:15: sampler_seed is 4294967296; allowed: 0 to 4294967295"},
        {RANDOM "train: {lr: {min: 1, max: 2, distribution: log_uniform}}\n",
         "s.yaml:4:44: log_uniform means, in W&B, that min and max are exponents of e; write "
         "log_uniform_values and give the values themselves"},
        {RANDOM "train: {lr: {min: 1, max: 2, distribution: normal}}\n",
         "s.yaml:4:44: the distribution normal is not supported; allowed: uniform, "
         "log_uniform_values, int_uniform"},
        {RANDOM "train: {lr: {min: 1, max: 2, q: 1, distribution: q_uniform}}\n",
         "s.yaml:4:50: the distribution q_uniform is not supported; allowed: uniform, "
         "log_uniform_values, int_uniform (did you mean uniform?)"},
        {RANDOM "train: {lr: {min: 1, max: 2, distribution: unifrom}}\n",
         "s.yaml:4:44: the distribution unifrom is not supported; allowed: uniform, "
         "log_uniform_values, int_uniform (did you mean uniform?)"},
        {RANDOM "train: {lr: {min: 1}}\n",
         "s.yaml:4:13: train.lr lacks 'max'; write {min: , max: } or {values: []}"},
        {RANDOM "train: {lr: {min: 2, max: 1}}\n",
         "s.yaml:4:13: the min of train.lr must be below its max"},
        {RANDOM "train: {lr: {min: 0, max: 1}}\n",
         "s.yaml:4:19: train.lr is 0; allowed: above 0, up to 1000"},
        {RANDOM "train: {weight_decay: {min: 0, max: 1, distribution: log_uniform_values}}\n",
         "s.yaml:4:23: the min of train.weight_decay must be above 0 for log_uniform_values"},
        {RANDOM "train: {lr: {min: 1.5, max: 3, distribution: int_uniform}}\n",
         "s.yaml:4:13: min and max of train.lr must be whole numbers for int_uniform"},
        {RANDOM "model: {d_ff: {min: 8, max: 64, distribution: uniform}}\n",
         "s.yaml:4:47: model.d_ff takes whole numbers; use int_uniform"},
        {RANDOM "model: {d_head: {min: split, max: 64}}\n",
         "s.yaml:4:23: the min of model.d_head must be a number"},
        {RANDOM "model: {norm: {min: 0, max: 1}}\n",
         "s.yaml:4:15: model.norm is not a number; list its values instead"},
        {RANDOM "train: {lr: {values: [1], min: 1}}\n",
         "s.yaml:4:27: unknown key 'min' under train.lr"},
        {RANDOM "train: {lr: {min: [1], max: 2}}\n",
         "s.yaml:4:19: min must be a single value, not a list"},
        {RANDOM "train: {lr: {min: 1, max: 2, distribution: [uniform]}}\n",
         "s.yaml:4:44: distribution must be a single value, not a list"},
        {RANDOM "train: {lr: {values: 1}}\n",
         "s.yaml:4:22: values must be a list, not a single value; write [1]"},
        {RANDOM "train: {lr: {mn: 1, max: 2}}\n",
         "s.yaml:4:14: unknown key 'mn' under train.lr (did you mean min?)"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(test_other_keys)
{
    static const struct refusal list[] = {
        {TASK "name: a/b\n",
         "s.yaml:2:7: the name 'a/b' must be 1 to 64 letters, digits, '.', '_', '-'"},
        {TASK "name: ''\n",
         "s.yaml:2:7: the name '' must be 1 to 64 letters, digits, '.', '_', '-'"},
        {TASK "seeds: 0\n", "s.yaml:2:8: seeds is 0; allowed: 1 to 1000"},
        {TASK "seeds: []\n", "s.yaml:2:8: seeds lists 0 seeds; allowed: 1 to 1000"},
        {TASK "seeds: [1, 2, 1]\n", "s.yaml:2:15: seed 1 is in the list twice"},
        {TASK "seeds: [4294967296]\n",
         "s.yaml:2:9: a seed is 4294967296; allowed: 0 to 4294967295"},
        {TASK "seeds: {n: 3}\n", "s.yaml:2:8: seeds must be a single value, not a mapping"},
        {TASK "metric: {name: acc}\n",
         "s.yaml:2:16: metric.name is acc; allowed: val_acc, val_loss"},
        {TASK "metric: {name: val_loss, goal: maximize}\n",
         "s.yaml:2:32: val_loss is a metric to minimize, not to maximize"},
        {TASK "metric: {nam: val_loss}\n",
         "s.yaml:2:10: unknown key 'nam' under metric (did you mean name?)"},
        {TASK "metric: {name: []}\n",
         "s.yaml:2:16: metric.name must be a single value, not a list"},
        {TASK "metric: {goal: minimize}\n",
         "s.yaml:2:16: val_acc is a metric to maximize, not to minimize"},
        {TASK "name: [a]\n", "s.yaml:2:7: name must be a single value, not a list"},
        {TASK "method: [grid]\n", "s.yaml:2:9: method must be a single value, not a list"},
        {TASK "metric: val_loss\n",
         "s.yaml:2:9: metric must be a mapping, not a single value; write {name: val_loss}"},
        {TASK "constraints: 'model.heads < 4'\n", "s.yaml:2:14: constraints must be a list, not a "
                                                  "single value; write [\"model.heads < 4\"]"},
        {TASK "constraints: [[1]]\n",
         "s.yaml:2:15: a constraint must be a single value, not a list"},
        {TASK "constraints: ['model.head < 4']\n",
         "s.yaml:2:16: there is no option 'model.head' (did you mean model.heads?)"},
        {TASK "constraints: [\"1 < heads\"]\n",
         "s.yaml:2:20: there is no option 'heads' (did you mean model.heads?)"},
        {TASK "constraints:\n  - model.heads = 4\n",
         "s.yaml:3:17: = is not a comparison; write =="},
        {TASK "constraints:\n  - task.offsets == 4\n",
         "s.yaml:3:5: task.offsets is a list, which has no value to compare"},
        {TASK "constraints:\n  - >-\n    1 <\n    x\n",
         "s.yaml:3:5: in the constraint \"1 < x\", at character 5: there is no option 'x'"},
        {TASK "constraints: [model.heads]\n",
         "s.yaml:2:15: the constraint \"model.heads\" is a value, not a condition; compare it, as "
         "in \"model.heads <= 8\""},
        {TASK "constraints: ['(model.d_model % 3)']\n",
         "s.yaml:2:15: the constraint \"(model.d_model % 3)\" is a value, not a condition; compare "
         "it, as in \"model.heads <= 8\""},
        {TASK "exclude: {model.heads: 4}\n", "s.yaml:2:10: exclude must be a list, not a mapping"},
        {TASK "exclude: [{model: {heads: 4}}]\n", "s.yaml:2:12: there is no option 'model'"},
        {TASK "exclude: [4]\n",
         "s.yaml:2:11: an item of exclude must be a mapping, not a single value"},
        {TASK "exclude: [{model.heads: [[1]]}]\n",
         "s.yaml:2:26: a value to exclude must be a single value, not a list"},
        {TASK "exclude: [{}]\n",
         "s.yaml:2:11: an empty mapping would exclude every point; name an option"},
        {TASK "exclude: [{model.heads: []}]\n",
         "s.yaml:2:25: model.heads must be a value or a list of values"},
        {TASK "exclude: [{model.heads: [1, 0]}]\n",
         "s.yaml:2:29: model.heads is 0; allowed: 1 to 65536"},
        {TASK "tune: [model.heads]\nmodel: {heads: [1, 2]}\n",
         "s.yaml:2:8: model.heads cannot be tuned: head counts are what is compared"},
        {TASK "tune: [train.lr]\n",
         "s.yaml:2:8: train.lr has only one value, so there is nothing to choose"},
        {TASK "tune: [task.length]\n", "s.yaml:2:8: task.length cannot be tuned: accuracies on "
                                       "different tasks cannot be compared"},
        {TASK "tune: [lr]\n", "s.yaml:2:8: there is no option 'lr' (did you mean train.lr?)"},
        {TASK "tune: {seeds: 3}\n", "s.yaml:2:7: missing key 'axes' under tune"},
        {TASK "tune: {axes: [train.lr], seeds: 0}\n",
         "s.yaml:2:33: tune.seeds is 0; allowed: 1 to 1000"},
        {TASK "tune: train.lr\n",
         "s.yaml:2:7: tune must be a list, not a single value; write [train.lr]"},
        {TASK "tune: [[train.lr]]\n",
         "s.yaml:2:8: an axis to tune must be a single value, not a list"},
        {TASK "tune: {axis: [train.lr]}\n",
         "s.yaml:2:8: unknown key 'axis' under tune (did you mean axes?)"},
        {TASK "train: {lr: [1, 2]}\ntune: [train.lr, train.lr]\n",
         "s.yaml:3:18: train.lr is in the list twice"},
        {TASK "train: {lr: [1, 2]}\ntune: [train.lr]\nseeds: [0, 1000]\n",
         "s.yaml:4:8: seed 1000: under tune, values are chosen on the seeds from 1000 up and "
         "judged on others; use seeds below 1000"},
        {TASK "limits: {time: 20 minutes}\n",
         "s.yaml:2:16: limits.time is 20 minutes; allowed: 1 second to 366 days, as in 3600, "
         "90s, 20m, 2h"},
        {TASK "limits: {time: 0}\n",
         "s.yaml:2:16: limits.time is 0; allowed: 1 second to 366 days, as in 3600, 90s, 20m, 2h"},
        {TASK "limits: {memory: 2GB}\n",
         "s.yaml:2:18: limits.memory is 2GB; allowed: 1 MiB and more, as in 512MiB, 2GiB or bytes "
         "without a unit"},
        {TASK "limits: {memory: 2}\n",
         "s.yaml:2:18: limits.memory is 2; allowed: 1 MiB and more, as in 512MiB, 2GiB or bytes "
         "without a unit"},
        {TASK "limits: 20m\n", "s.yaml:2:9: limits must be a mapping, not a single value"},
        {TASK "limits: {time: [20m]}\n",
         "s.yaml:2:16: limits.time must be a single value, not a list"},
        {TASK "limits: {cpu: 2}\n", "s.yaml:2:10: unknown key 'cpu' under limits"},
        {TASK "claim: 4\n", "s.yaml:2:8: claim must be a mapping, not a single value"},
        {TASK "claim: {best: 4, ovr: [1]}\n",
         "s.yaml:2:18: unknown key 'ovr' under claim (did you mean over?)"},
        {TASK "claim: {best: 4, over: 1}\n",
         "s.yaml:2:24: claim.over must be a list, not a single value; write [1]"},
        {TASK "claim: {best: 0, over: [1]}\n", "s.yaml:2:15: claim.best is 0; allowed: 1 to 65536"},
        {TASK "claim: {best: 4, over: [0]}\n", "s.yaml:2:25: claim.over is 0; allowed: 1 to 65536"},
        {TASK "claim: {best: 4}\n", "s.yaml:2:8: missing key 'over' under claim"},
        {TASK "claim: {best: 4, over: [4]}\n",
         "s.yaml:2:25: claim.over has the head count that is claimed best"},
        {TASK "claim: {best: 4, over: [1, 1]}\n", "s.yaml:2:28: 1 is in the list twice"},
        {TASK "claim: {best: 4, over: []}\n",
         "s.yaml:2:24: claim.over lists 0 head counts; allowed: 1 to 32"},
        {TASK "retries: 1.5\n", "s.yaml:2:10: retries is 1.5, but must be a whole number, written "
                                "without point or exponent; allowed: 0 to 100"},
        {TASK "workers: 0\n", "s.yaml:2:10: workers is 0; allowed: 1 to 4096"},
        {TASK "run_cap: 0\n", "s.yaml:2:10: run_cap is 0; allowed: 1 to 10000000"},
    };
    ASSERT_ALL_REFUSED(list);
}

TEST(test_units)
{
    static const struct {
        const char *time, *memory;
        double seconds;
        int64_t bytes;
    } list[] = {{"3600", "1048576", 3600, 1 << 20},
                {"90s", "1024KiB", 90, 1 << 20},
                {"20m", "512MiB", 1200, 512 << 20},
                {"2h", "2GiB", 7200, (int64_t)2 << 30},
                {"1d", "1.5TiB", 86400, (int64_t)3 << 39}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char text[128];
        snprintf(text, sizeof text, TASK "limits: {time: %s, memory: %s}\n", list[i].time,
                 list[i].memory);
        struct config *c = config_of(text);
        assert_true(c->limit_time_s == list[i].seconds);
        assert_int_equal(c->limit_memory, list[i].bytes);
        config_free(c);
    }
}

TEST(test_switch_is_a_condition)
{
    struct config *c =
        config_of("task: {name: hist, bos: [true, false]}\nconstraints: [task.bos, 'not (task.bos "
                  "== 0) or 1 < 2']\n");
    assert_int_equal(c->constraints, 2);
    config_free(c);
}
