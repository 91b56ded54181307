/* How a server begins: its port, several files, and who needs the token. What cannot be served:
 * cli/test_serve.sh. */
#include "sweep/serve/serve_parts.h"
#include "tests/sweep/serve_help.h"

FIXTURE(served_set_up, served_tear_down)

TEST(a_taken_port_is_told_or_passed_over)
{
    assert_int_equal(served_start(f), 0);
    struct served second = *f;
    second.options.port = f->port;
    assert_int_not_equal(served_start(&second), 0);
    assert_non_null(strstr(second.message.text, "is taken by another program"));
    second.options.next_port = true;
    assert_int_equal(served_start(&second), 0);
    assert_in_range(second.port, f->port + 1, f->port + SERVE_PORTS - 1);
    assert_true(serve_stop(second.server));
}

TEST(several_files_are_told_apart)
{
    f->options.count = 2;
    assert_int_equal(served_start(f), 0);
    served_answers(f, "/1/1/trials", 200, "\"total\":7");
    served_answers(f, "/2/1/trials", 404, "error");
    char *answer = served_get(f, "/index", "");
    assert_non_null(strstr(strstr(answer, "\"file\":") + 1, "\"file\":"));
    free(answer);
}

/* Everybody can come: nobody without the token. */
TEST(others_need_the_token)
{
    char target[100], header[400];
    f->options.listen = "0.0.0.0";
    assert_int_equal(served_start(f), 0);
    const char *token = strstr(serve_address(f->server), "/?token=");
    assert_non_null(token);
    assert_int_equal(strlen(token), strlen("/?token=") + 32);
    served_answers(f, "/", 403, "a token is needed");
    served_answers(f, "/index", 403, "a token is needed");
    served_answers(f, "/events", 403, "a token is needed");
    snprintf(target, sizeof target, "/index?%s", token + strlen("/?"));
    char *answer = served_get(f, target, "");
    assert_int_equal(served_code(answer), 303);
    assert_non_null(strstr(answer, "Location: ./index\r\n"));
    const char *cookie = strstr(answer, "Set-Cookie: ");
    assert_non_null(cookie);
    assert_non_null(strstr(cookie, "; HttpOnly; SameSite=Lax\r\n"));
    assert_null(strstr(answer, token + strlen("/?token=")));
    snprintf(header, sizeof header, "Cookie: %.*s\r\n", (int)strcspn(cookie + 12, ";"),
             cookie + 12);
    free(answer);
    answer = served_get(f, "/index", header);
    assert_int_equal(served_code(answer), 200);
    free(answer);
    snprintf(header, sizeof header, "Authorization: Bearer %s\r\n", token + strlen("/?token="));
    answer = served_get(f, "/index", header);
    assert_int_equal(served_code(answer), 200);
    free(answer);
}
