/* What is decided and said of results, in cases: tests/verdicts/NAME.case, each a test. Results
 * stand above, what comes of them below, indented; BLESS=1 writes what comes of them now. A line
 * that begins with # is for the reader. The lines of a case up to an empty one are judged at once.
 * Each line behind that is a change of the case as it first stood, and only what it changes is
 * told. A line may have several parts, "; " between; if it ends with ; it goes on in the next.
 *
 *     case WORDS                a new one: no results yet, guessing gets .0625, 1500 steps
 *     4: .99 | .98 1 x .99!     trials of 4 heads: validation, then test values of seeds 0, 1, ...;
 *                               x: diverged, !: at a limit, 7=.98: from seed 7 on. Without the bar
 *                               validation is as each test value
 *     block 4: 1.9 2 2.1        one more trial, by its blocks of a text; one number: not known
 *     unit 4: 0 0 1 1           a member of its trials or of it (*: of all head counts), as listed
 *     steps 800                 under `members` below, or of what is judged; -: none
 *     tune 4: train.lr .1 *1 largest      its values of an axis, the chosen one and its edge
 *     claim 4 over 1 16         none without numbers; so are
 *                               proof STATUS SEEN PAIRS ADDED REMOVED; similar TRIALS OPTION...
 *     confirm 6 [written]       so many fresh units; what follows `fresh` is of them, until
 *                               `explored`
 *     setting NAME              what follows is of this setting; pair NAME NAME HEADS [claimed]
 *                               holds two against each other
 *     ask TASK                  what `ask` answers, too; ask rows TYPICAL
 *                               ask text BYTES SIZE STEPS BITS
 *     show KEY...               from here on only this is told: kind; keys of rules, as
 *                               verdict_rules.def has them; found, sure, limits; numbers, by head
 *                               count or by rival: .best_p, .pair.t, all that `members` has, and
 *                               .fresh.p */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sweep/ask/answer.h"
#include "sweep/judge/between.h"
#include "sweep/judge/verdict_text.h"
#include "tests/sweep/case_help.h"
#include "tests/sweep/look_help.h"
#include "tests/sweep/scope_help.h"

enum { HEADS = 8, TRIALS = 40, BLOCKS = 16, AXES = 2, VALUES = 16, PAIRS = 4, WORDS = TRIALS };
enum { EXPLORED, FRESH, SETTING, SKETCHES = SETTING + PAIRS, TOLD_MAX = 512 };

/* Results of one setting, or the fresh ones. */
struct sketch {
    const char *name;
    struct verdict_input in;
    int planned; /* as a case says; 0: as many as have ended */
    struct verdict_arm arm[HEADS], rising[HEADS];
    struct verdict_trial trial[HEADS][TRIALS];
    double block[HEADS][TRIALS][BLOCKS];
    int64_t over[HEADS];
    struct verdict_axis axis[HEADS][AXES];
    struct verdict_value value[HEADS][AXES][VALUES];
    char *differ[WORDS];
};

/* What is told, by the key of its rule. */
struct told {
    int count;
    char key[TOLD_MAX][32], *text[TOLD_MAX];
};

/* A case as far as it is read, and as it first stood. */
static struct play {
    struct sketch sketch[SKETCHES], *at;
    struct verdict_confirm confirm;
    char *pair[PAIRS][WORDS], *asked[WORDS];
    int pairs;
    struct told told;
    bool changed; /* since it was judged, or first stood */
} play, first;
static char *shown[WORDS]; /* keys; none: all but numbers */

/* ---- members ---- */

enum type { TRUTH, INT, LONG, REAL, WORD };

struct member {
    const char *name;
    enum type type;
    size_t at;
};

/* Those that a case sets: of what is judged, of trials, of head counts. */
#define OF_INPUT(X)                                                                                \
    X(loss), X(interleaved), X(blocks), X(chance), X(guess_loss), X(test_targets), X(steps),       \
        X(decays), X(tuning), X(tuning_ended), X(tuning_seeds), X(replicated), X(looks), X(look),  \
        X(equivalence), X(instances), X(different), X(alike)
#define OF_TRIALS(X) X(unit), X(late_slope), X(exact), X(guess), X(trial_id)
#define OF_ARMS(X)   X(axes), X(lr), X(d_head), X(shared)
/* Those that are told as numbers: of a verdict, its head counts and comparisons. */
#define OF_ALL(X)                                                                                  \
    X(alpha), X(level), X(unit), X(units), X(guess), X(guess_varies), X(units_at_chance),          \
        X(finished), X(smallest), X(largest), X(interior), X(candidate_at[0]), X(candidate_at[1]), \
        X(candidate_at[2]), X(smallest_among_best), X(plateau_low), X(plateau_high),               \
        X(plateau_holes)
#define OF_ROWS(X)                                                                                 \
    X(test.n), X(trials), X(bad), X(limited), X(mostly_bad), X(test.mean), X(test.min),            \
        X(completed_mean), X(val_mean), X(exact_mean), X(solved), X(solved_low), X(solved_high),   \
        X(median_low), X(median_high), X(apart), X(bimodal), X(above_chance), X(chance_p),         \
        X(improving), X(late_gain), X(late_low), X(late_high), X(best_p), X(best_by_values),       \
        X(among_best), X(plateau_p), X(plateau_by_values), X(in_plateau), X(equivalent_p),         \
        X(equivalent)
#define OF_RIVALS(X)                                                                               \
    X(pair.n), X(pair.wins), X(pair.losses), X(pair.mean), X(pair.sd), X(pair.low), X(pair.high),  \
        X(pair.t), X(pair.p), X(p), X(pair.sign_flip_p), X(seed_pairs), X(unpaired),               \
        X(sd_between), X(sd_within), X(spread_ratio), X(crossed.columns), X(crossed.effective),    \
        X(crossed.mean)

#define TYPE(x)                                                                                    \
    _Generic(x, bool : TRUTH, int : INT, long : LONG, double : REAL, const char * : WORD)
#define MEMBER(of, member)                                                                         \
    {                                                                                              \
        .name = #member, .type = TYPE(((struct of *)0)->member), .at = offsetof(struct of, member) \
    }
#define INPUT(member)  MEMBER(verdict_input, member)
#define TRIAL(member)  MEMBER(verdict_trial, member)
#define OF_ONE(member) MEMBER(verdict_arm, member)
#define ALL(member)    MEMBER(verdict, member)
#define ROW(member)    MEMBER(verdict_row, member)
#define RIVAL(member)  MEMBER(verdict_rival, member)
static const struct member of_input[] = {OF_INPUT(INPUT), {0}};
static const struct member of_trials[] = {OF_TRIALS(TRIAL), {0}};
static const struct member of_arms[] = {OF_ARMS(OF_ONE), {0}};
static const struct member of_all[] = {OF_ALL(ALL), {0}};
static const struct member of_rows[] = {OF_ROWS(ROW), {0}};
static const struct member of_rivals[] = {OF_RIVALS(RIVAL), {0}};

static const struct member *member_find(const struct member *m, const char *name)
{
    while (m->name && strcmp(m->name, name) != 0)
        m++;
    return m->name ? m : NULL;
}

static void member_set(const struct member *m, void *of, char *word)
{
    void *at = (char *)of + m->at;
    bool none = !word || strcmp(word, "-") == 0;
    if (m->type == WORD)
        *(char **)at = none ? NULL : word;
    else if (m->type == REAL)
        *(double *)at = none ? NAN : strtod(word, NULL);
    else if (m->type == LONG)
        *(long *)at = none ? 0 : strtol(word, NULL, 10);
    else if (m->type == INT)
        *(int *)at = none ? 0 : (int)strtol(word, NULL, 10);
    else
        *(bool *)at = !none;
}

/* ---- the lines of a case ---- */

static int64_t number_of(char *const *word, int i)
{
    while (i > 0 && *word)
        word++, i--;
    return *word ? strtol(*word, NULL, 10) : 0;
}

static void keep(char **kept, char *const *word)
{
    do
        *kept++ = *word;
    while (*word++);
}

static void sketch_use(int i, const char *name)
{
    play.at = &play.sketch[i];
    if (!play.at->name)
        *play.at = (struct sketch){.name = name, .in = {.chance = .0625, .steps = 1500}};
}

static int setting_of(const char *name)
{
    int i = SETTING;
    while (i < SKETCHES - 1 && play.sketch[i].name && strcmp(play.sketch[i].name, name) != 0)
        i++;
    return i;
}

static void told_free(struct told *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->text[i]);
    t->count = 0;
}

static void case_begin(void)
{
    told_free(&first.told);
    memset(&play, 0, sizeof play);
    shown[0] = NULL;
    sketch_use(FRESH, "fresh");
    sketch_use(EXPLORED, "explored");
}

static int arm_of(struct sketch *s, int64_t heads)
{
    int i = 0;
    while (i < s->in.count && s->arm[i].id != heads)
        i++;
    if (i == s->in.count) {
        assert_in_range(++s->in.count, 1, HEADS);
        s->arm[i] = (struct verdict_arm){.id = heads, .trial = s->trial[i], .axis = s->axis[i]};
    }
    return i;
}

static struct verdict_trial trial_of(int64_t seed, double test, double val)
{
    return (struct verdict_trial){
        .seed = seed, .test = test, .val = val, .exact = NAN, .late_slope = NAN};
}

/* .99 | .98 x .99! 7=.98; returns how many. */
static int read_trials(struct verdict_trial *t, char **word)
{
    int64_t seed = play.at == &play.sketch[FRESH] ? 2000 : 0;
    bool apart = word[0] && word[1] && strcmp(word[1], "|") == 0;
    double val = apart ? strtod(word[0], NULL) : NAN;
    char **begin = word += 2 * apart;
    for (; *word; word++, t++, seed++) {
        char *at = *word, *equal = strchr(at, '=');
        if (equal) {
            seed = strtol(at, NULL, 10);
            at = equal + 1;
        }
        bool bad = *at == 'x';
        double test = bad ? -1 : strtod(at, &at);
        *t = trial_of(seed, test, apart ? val : test);
        t->bad = bad;
        t->limited = at[bad] == '!';
    }
    return (int)(word - begin);
}

static void read_block(struct sketch *s, int i, char **word)
{
    int k = s->arm[i].n++, n = 0;
    double sum = 0;
    if (!word[1]) { /* of this trial they are not known */
        read_trials(&s->trial[i][k], word);
        s->trial[i][k].seed = k;
        return;
    }
    for (; word[n]; n++) {
        assert_in_range(n, 0, BLOCKS - 1);
        sum += s->block[i][k][n] = strtod(word[n], NULL);
    }
    s->trial[i][k] = trial_of(k, sum / n, sum / n);
    s->trial[i][k].block = s->block[i][k];
}

static void read_tune(struct sketch *s, int i, char **word)
{
    static const char *const edges[] = {"inner", "smallest", "largest", "only"};
    int a = 0;
    while (a < s->arm[i].axes && strcmp(s->axis[i][a].path, word[0]) != 0)
        a++;
    s->arm[i].axes += a == s->arm[i].axes;
    struct verdict_axis *axis = &s->axis[i][a];
    *axis = (struct verdict_axis){.path = *word, .chosen = -1, .value = s->value[i][a]};
    while (*++word) {
        bool chosen = **word == '*';
        char *value = *word + chosen;
        if (chosen)
            axis->chosen = axis->values;
        for (int edge = GRID_SMALLEST; edge <= GRID_ONLY; edge++)
            if (strcmp(value, edges[edge]) == 0)
                axis->edge = (enum grid_edge)edge;
        if (*value < 'a')
            axis->value[axis->values++] = (struct verdict_value){strtod(value, NULL), value};
    }
}

/* KEY HEADS: ..., of one head count or of all. */
static bool read_of_heads(struct sketch *s, const char *key, char **word)
{
    const struct member *trials = member_find(of_trials, key), *arms = member_find(of_arms, key);
    bool all = *word && **word == '*', known = true;
    int i = all || !*word ? 0 : arm_of(s, number_of(word, 0)), end = all ? s->in.count : i + 1;
    for (word += *word != NULL; i < end; i++) {
        if (arms)
            member_set(arms, &s->arm[i], word[0]);
        else if (strcmp(key, "block") == 0)
            read_block(s, i, word);
        else if (strcmp(key, "tune") == 0)
            read_tune(s, i, word);
        else
            known = trials;
        for (int k = 0; trials && word[k]; k++)
            member_set(trials, &s->trial[i][k], word[k]);
    }
    return known;
}

static void read_claim(struct sketch *s, char **word)
{
    struct verdict_claim *claim = &s->in.claim;
    claim->best = number_of(word, 0);
    claim->over_count = 0;
    while (number_of(word, 2 + claim->over_count)) {
        s->over[claim->over_count] = number_of(word, 2 + claim->over_count);
        claim->over_count++;
    }
}

static void read_proof(struct sketch *s, char **word)
{
    enum verdict_proof_status status = PROOF_FIRST;
    while (status < PROOF_PLAN_CHANGED && strcmp(verdict_proof_name(status), *word) != 0)
        status++;
    s->in.claim.proof = (struct verdict_proof){status, number_of(word, 1), number_of(word, 2),
                                               number_of(word, 3), number_of(word, 4)};
}

static void read_similar(struct sketch *s, char **word)
{
    s->in.claim.similar =
        (struct verdict_similar){.trials = number_of(word, 0), .differ = s->differ};
    keep(s->differ, word + (*word != NULL));
    while (s->differ[s->in.claim.similar.count])
        s->in.claim.similar.count++;
}

/* The one of these settings and heads, or a new one. */
static char **pair_of(char *const *word)
{
    for (int i = 0; i < play.pairs; i++) {
        char **p = play.pair[i];
        bool same = strcmp(p[0], word[0]) == 0 && strcmp(p[1], word[1]) == 0,
             turned = strcmp(p[0], word[1]) == 0 && strcmp(p[1], word[0]) == 0;
        if ((same || turned) && strcmp(p[2], word[2]) == 0)
            return p;
    }
    assert_in_range(play.pairs, 0, PAIRS - 1);
    return play.pair[play.pairs++];
}

/* What is not of single head counts; false: there is no such line. */
static bool read_whole(struct sketch *s, const char *key, char **word)
{
    static const char *const data[] = {"toy", "rows", "text"};
    if (strcmp(key, "fresh") == 0)
        sketch_use(FRESH, key);
    else if (strcmp(key, "explored") == 0)
        sketch_use(EXPLORED, key);
    else if (strcmp(key, "setting") == 0)
        sketch_use(setting_of(word[0]), word[0]);
    else if (strcmp(key, "pair") == 0)
        keep(pair_of(word), word);
    else if (strcmp(key, "ask") == 0)
        keep(play.asked, word);
    else if (strcmp(key, "confirm") == 0)
        play.confirm = (struct verdict_confirm){number_of(word, 0), *word && word[1], NULL, 0};
    else if (strcmp(key, "data") == 0)
        for (s->in.data = VERDICT_TOY; strcmp(data[s->in.data], *word) != 0;)
            s->in.data++;
    else if (strcmp(key, "planned") == 0)
        s->planned = (int)number_of(word, 0);
    else if (strcmp(key, "claim") == 0)
        read_claim(s, word);
    else if (strcmp(key, "proof") == 0)
        read_proof(s, word);
    else if (strcmp(key, "similar") == 0)
        read_similar(s, word);
    else
        return false;
    return true;
}

static bool read_part(char **word)
{
    struct sketch *s = play.at;
    const char *key = *word++;
    const struct member *m = member_find(of_input, key);
    if (strcmp(key, "case") == 0) {
        case_begin();
        return true;
    }
    if (strcmp(key, "show") == 0) {
        keep(shown, word);
        return true;
    }
    play.changed = true;
    if (m)
        member_set(m, &s->in, *word);
    else if (strchr(key, ':')) {
        int i = arm_of(s, strtol(key, NULL, 10));
        s->arm[i].n = read_trials(s->trial[i], word);
    }
    return m || strchr(key, ':') || read_whole(s, key, word) || read_of_heads(s, key, word);
}

/* ---- what is told ---- */

static void tell(const char *key, char *text)
{
    int i = play.told.count++;
    assert_in_range(i, 0, TOLD_MAX - 1);
    snprintf(play.told.key[i], sizeof play.told.key[i], "%s", key);
    play.told.text[i] = text;
}

static void tell_kind(const struct verdict_input *in, const struct verdict *v)
{
    struct text_buffer out = {0};
    const struct verdict_pick pick = verdict_pick(in, v);
    text_add(&out, "%s%s%s%s", verdict_kind_name(v->kind), v->prediction ? ", prediction" : "",
             v->decided ? ", decided" : "", v->preliminary ? ", preliminary" : "");
    if (v->candidate)
        text_add(&out, "; %d, best %d", (int)v->candidate, (int)v->best);
    for (int i = 0; i < v->rivals; i++)
        text_add(&out, "; against %d %s", (int)v->rival[i].arm,
                 rival_outcome_name(v->rival[i].outcome));
    for (int i = 0; i < pick.over_count && !v->prediction; i++)
        text_add(&out, "%s %d", i ? " and" : "; to confirm: over", (int)pick.over[i]);
    if (pick.kind != v->kind)
        text_add(&out, "; to confirm: %s", verdict_kind_name(pick.kind));
    if (v->confirmed)
        text_add(&out, "; fresh: %s", verdict_kind_name(v->confirmed->kind));
    tell("kind", out.text);
}

static void add_number(struct text_buffer *out, double x)
{
    if (isnan(x))
        text_add(out, " -");
    else
        text_add(out, " %.6g", fabs(x) < 1e-12 ? 0 : x);
}

/* Each member of n structures as a line of its own. */
static void tell_members(const char *prefix, const struct member *m, const void *of, int n,
                         size_t size)
{
    for (; m->name && n > 0; m++) {
        struct text_buffer key = {0}, out = {0};
        text_add(&key, ".%s%s", prefix, m->name);
        for (int i = 0; i < n; i++) {
            const void *at = (const char *)of + size * (size_t)i + m->at;
            if (m->type == WORD)
                text_add(&out, " %s", *(char *const *)at);
            else if (m->type == TRUTH)
                text_add(&out, *(const bool *)at ? " yes" : " no");
            else
                add_number(&out, m->type == REAL   ? *(const double *)at
                                 : m->type == LONG ? (double)*(const long *)at
                                                   : (double)*(const int *)at);
        }
        tell(key.text, text_copy(out.text + 1));
        free(key.text);
        free(out.text);
    }
}

static void tell_numbers(const struct verdict *v)
{
    tell_members("", of_all, v, 1, 0);
    tell_members("", of_rows, v->row, v->rows, sizeof *v->row);
    tell_members("", of_rivals, v->rival, v->rivals, sizeof *v->rival);
    if (v->confirmed)
        tell_members("fresh.", of_rivals, v->confirmed->rival, v->confirmed->rivals,
                     sizeof *v->confirmed->rival);
}

static void tell_verdict(const struct verdict_input *in, const struct verdict *v,
                         const struct verdict_text *text)
{
    struct text_buffer out = {0};
    tell_kind(in, v);
    tell_numbers(v);
    text_add(&out, "%d of %d, headlines %d", text->shown, text->count, text->headlines);
    tell(".shown", out.text);
    for (int i = 0; i < text->count; i++)
        tell(text->sentence[i].rule, text_copy(text->sentence[i].text));
}

static void tell_answer(const struct report_setting *set)
{
    static const char *const keys[] = {"found", "sure", "limits"};
    char fixed[] = "length=256, d_model=32, layers=1", *rest = NULL, **word = play.asked;
    const struct report_data r = {.fixed = fixed, .settings = 1, .setting = (void *)set};
    struct design d = {.kind = LOOK_TOY, .steps = 1500};
    struct text_buffer out = {0};
    struct look *l;
    if (strcmp(word[0], "text") == 0) {
        l = text_of(number_of(word, 1));
        d.size = (int)number_of(word, 2);
        d.steps = (long)number_of(word, 3);
    } else {
        l = strcmp(word[0], "rows") == 0 ? rows_of(1000, 100, number_of(word, 1))
                                         : toy_of(word[0], NULL, 0);
    }
    d.kind = l->kind;
    answer_write(&r, l, &d, l->kind == LOOK_TEXT && word[4] ? strtod(word[4], NULL) : NAN, &out);
    for (int i = 0; i < 3; i++)
        tell(keys[i], text_copy(strtok_r(i ? NULL : out.text, "\n", &rest)));
    free(out.text);
    free(l);
}

/* ---- judging ---- */

static int by_heads(const void *a, const void *b)
{
    return (int)(*(const int64_t *)a - *(const int64_t *)b);
}

/* Makes an input of it, by rising head count. */
static void sketch_close(struct sketch *s)
{
    s->in.planned = s->planned;
    for (int i = 0; i < s->in.count; i++) {
        s->arm[i].planned = s->planned ? s->planned : s->arm[i].n;
        s->in.planned += s->planned ? 0 : s->arm[i].n;
    }
    memcpy(s->rising, s->arm, sizeof s->rising);
    qsort(s->rising, (size_t)s->in.count, sizeof *s->rising, by_heads);
    s->in.arm = s->rising;
    s->in.claim.over = s->over;
}

static void judge_heads(struct scope *x)
{
    struct sketch *s = &play.sketch[EXPLORED], *fresh = &play.sketch[FRESH];
    struct report_setting set = {.setting = NULL};
    sketch_close(s);
    sketch_close(fresh);
    play.confirm.input = fresh->in.claim.best ? &fresh->in : NULL;
    s->in.confirm = play.confirm.units ? &play.confirm : NULL;
    set.input = s->in;
    set.verdict = verdict_new(x, &set.input);
    set.text = verdict_text_new(x, &set.input, set.verdict);
    tell_verdict(&set.input, set.verdict, &set.text);
    if (play.asked[0])
        tell_answer(&set);
}

static void judge_pairs(struct scope *x)
{
    struct between_pair pair[PAIRS] = {{.claimed = false}};
    for (int i = 0; i < play.pairs; i++) {
        struct between_pair *p = &pair[i];
        p->claimed = play.pair[i][3];
        p->place = (struct verdict_place){.heads = number_of(play.pair[i], 2), .same = "d_ff=64"};
        p->similar = play.sketch[setting_of(play.pair[i][0])].in.claim.similar;
        for (int side = 0; side < 2; side++) {
            struct sketch *s = &play.sketch[setting_of(play.pair[i][side])];
            int k = 0;
            sketch_close(s);
            while (s->rising[k].id != p->place.heads)
                k++;
            p->side[side] = (struct between_side){&s->in, &s->rising[k], s->name, s->name};
        }
    }
    between_judge(x, pair, play.pairs);
    for (const struct between_pair *p = pair; p < pair + play.pairs; p++) {
        const struct verdict_text text = verdict_text_new(x, &p->input, p->verdict);
        struct text_buffer out = {0};
        assert_string_equal(p->side[0].setting, p->side[0].name);
        text_add(&out, "%s over %s at %d, among %d: p", p->side[0].name, p->side[1].name,
                 (int)p->place.heads, p->family);
        add_number(&out, p->p);
        tell("pair", out.text);
        tell_verdict(&p->input, p->verdict, &text);
    }
}

static bool is_shown(const char *key)
{
    bool is = !shown[0] && *key != '.';
    for (char **name = shown; *name && !is; name++)
        is = strcmp(key, *name) == 0;
    return is;
}

/* What t has in the place of the ith of `of`: the one of its key, of the same number among them. */
static const char *counterpart(const struct told *t, const struct told *of, int i)
{
    int nth = 0, k = 0;
    for (int before = 0; before < i; before++)
        nth += strcmp(of->key[before], of->key[i]) == 0;
    while (k < t->count && (strcmp(t->key[k], of->key[i]) != 0 || nth-- > 0))
        k++;
    return k < t->count ? t->text[k] : NULL;
}

static void show(FILE *out, const char *key, const char *text)
{
    struct text_buffer line = {0};
    text_add(&line, "%s: %s", key, text);
    text_paragraph(out, line.text, 4, 6, 120);
    free(line.text);
}

/* Shows what is told of a case or, once it was told, what a change of it changes, "-" for what is
 * gone; then it is as it first stood. */
static void judge(FILE *out)
{
    struct told *now = &play.told, *was = &first.told;
    struct text_buffer numbers = {0};
    bool any = false, changes = was->count > 0;
    assert_int_equal(IN_SCOPE(x, NULL, NULL, (play.pairs ? judge_pairs : judge_heads)(x)),
                     STATUS_OK);
    for (int i = 0; i < now->count; i++) {
        const char *key = now->key[i], *text = now->text[i], *before = counterpart(was, now, i);
        if (!is_shown(key) || (before && strcmp(before, text) == 0))
            continue;
        any = true;
        if (*key == '.')
            text_add(&numbers, "%s%s %s", numbers.used ? "; " : "", key, text);
        else
            show(out, key, text);
    }
    for (int i = 0; i < was->count; i++)
        if (is_shown(was->key[i]) && *was->key[i] != '.' && !counterpart(now, was, i)) {
            any = true;
            show(out, was->key[i], "-");
        }
    if (numbers.used)
        show(out, "numbers", numbers.text);
    fputs(any ? "" : "    as it was\n", out);
    free(numbers.text);
    if (changes)
        told_free(now);
    else
        first = play;
    play = first;
    play.told.count = 0;
    play.changed = false;
    sketch_use(EXPLORED, NULL);
}

/* ---- files ---- */

static void read_line(const char *path, char *line)
{
    char *part, *rest = NULL, *next = line;
    while ((part = strtok_r(NULL, ";", &next))) {
        char *word[WORDS + 1] = {NULL};
        for (int i = 0; (word[i] = strtok_r(i ? NULL : part, " ", &rest)); i++)
            assert_in_range(i, 0, WORDS - 1);
        if (word[0] && !read_part(word))
            fail_msg("%s: no such line: %s", path, word[0]);
    }
}

/* Copies a file, with what comes of its cases now. */
static void play_lines(const char *path, char *lines, FILE *out)
{
    case_begin();
    for (char *line = lines, *end; *line; line = end) {
        size_t length = strcspn(line, "\n");
        bool ends = length == 0 || (first.told.count && line[0] != '#' && line[length - 1] != ';');
        end = line + length;
        if (*end)
            *end++ = '\0';
        if (line[0] != ' ' && line[0])
            fprintf(out, "%s\n", line);
        if (line[0] != ' ' && line[0] != '#')
            read_line(path, line);
        if (play.changed && (ends || line[0] == ' '))
            judge(out);
        if (!line[0])
            fputc('\n', out);
    }
    if (play.changed)
        judge(out);
    case_begin();
}

CASES("tests/verdicts", play_lines)
