"""Every model and every check keeps to the portable subset, and the lint of it refuses what it must."""

import pytest
import sqlglot

from models.registry import checks, models
from models.sql_files import Model
from tests.portable import complaints

EVERY = [*models().values(), *checks().values()]
PICO = "cast('0.000000000001' as decimal(12,12))"
MONEY = f"cast(cast(sum(x) as decimal(25,0)) * {PICO} as decimal(38,12)) as cost_usd"

ALLOWED = [
    "select a.k from t as a left join u as b on a.k = b.k where a.usage_date >= $window_start",
    "select k, count(*) as n from t group by k having count(*) > 1",
    "with a as (select k from t) select * from a",
    "select row_number() over (partition by a order by b desc nulls last, attempt_key) as n from t",
    "select max(a) over (partition by b) as n from t",
    "select min(a) over (partition by b order by c range between 1 preceding and 1 following) as n from t",
    "select first_value(a) over w as n from t window w as (partition by b order by c, attempt_key)",
    "select used_at_us // cast(3600000000 as bigint) as hour, a % cast(7 as bigint) as b from t",
    "select cast(sum(a) as decimal(38,0)) as b, cast(sum(a) filter (where c) as bigint) as d from t",
    "select case when a is null then 'x' when b in ('y', 'z') then 'w' else coalesce(c, '') end as d from t",
    "select k from t where not exists (select 1 from u as u where u.k = t.k) union all select k from v",
    "select a from t where a is distinct from b and usage_date < cast($window_end as date) + 1",
    f"select {MONEY} from t",
]

FORBIDDEN = [
    # Fails on Spark, or is passed through without complaint.
    ("select epoch_us(a) as b from t", "not in the portable subset"),
    ("select a.k from t as a asof join u as b on a.at >= b.at", "a join beside inner"),
    ("select time_bucket(interval '15 minutes', a) as b from t", "not in the portable subset"),
    ("select unnest(a) as b, generate_subscripts(a, 1) as c from t", "not in the portable subset"),
    ("select quantile_cont(a, 0.5) as b from t", "not in the portable subset"),
    ("select u.b from t, unnest(a) with ordinality as u(b, c)", "not in the portable subset"),
    ("select percentile_cont(0.5) within group (order by a) as b from t", "not in the portable subset"),
    ("select percentile_disc(0.5) within group (order by a) as b from t", "not in the portable subset"),
    ("select list(a order by b) as c from t", "not in the portable subset"),
    ("select array_agg(a) as c from t", "not in the portable subset"),
    ("select string_agg(a, ',' order by b) as c from t", "not in the portable subset"),
    ("select [a, b] as c from t", "not in the portable subset"),
    ("select {'a': b} as c from t", "not in the portable subset"),
    ("select struct_pack(a := b) as c from t", "not in the portable subset"),
    ("select a -> '$.b' as c from t", "not in the portable subset"),
    ("select a ->> 'b' as c from t", "not in the portable subset"),
    ("select json_extract(a, '$.b') as c from t", "not in the portable subset"),
    ("select date_trunc('hour', a) as b from t", "not in the portable subset"),
    ("select usage_date + interval '1 day' as b from t", "not in the portable subset"),
    ("select extract(year from usage_date) as b from t", "not in the portable subset"),
    ("select strftime(a, '%Y') as b from t", "not in the portable subset"),
    # Another answer in each run.
    ("select now() as a", "not in the portable subset"),
    ("select current_date as a", "not in the portable subset"),
    ("select current_timestamp as a", "not in the portable subset"),
    ("select random() as a", "not in the portable subset"),
    ("select uuid() as a", "not in the portable subset"),
    ("select hash(a) as b from t", "not in the portable subset"),
    ("select md5(a) as b from t", "not in the portable subset"),
    ("select a from t using sample 10", "not in the portable subset"),
    ("select a from t limit 1", "not in the portable subset"),
    ("select a from t offset 1", "not in the portable subset"),
    ("select any_value(a) as b from t", "not in the portable subset"),
    ("select first(a) as b from t", "not in the portable subset"),
    ("select arg_max(a, b) as c from t", "not in the portable subset"),
    # Money and other exact numbers.
    ("select a / b as c from t", "not in the portable subset"),
    ("select avg(a) as b from t", "not in the portable subset"),
    ("select round(a, 2) as b from t", "not in the portable subset"),
    ("select a // b as c from t", "whole division"),
    ("select a // cast(2 as decimal(38,0)) as c from t", "whole division"),
    ("select a % 7 as c from t", "whole division"),
    ("select sum(a) as b from t", "not cast at once"),
    ("select sum(a) over (partition by b) as c from t", "not cast at once"),
    ("select cast(coalesce(sum(a), 0) as decimal(38,0)) as b from t", "not cast at once"),
    ("select a * cast(b as decimal(13,12)) as c from t", "a type outside"),
    ("select cast(a as decimal(38,0)) * cast(b as decimal(38,0)) as c from t", "a product of decimals"),
    (f"select {MONEY.replace('25,0', '38,0')} from t", "a product of decimals"),
    (f"select {MONEY.replace('38,12', '38,0')} from t", "a product of decimals"),
    (f"select {MONEY.replace('0.000000000001', '0.00000000001')} from t", "a product of decimals"),
    ("select 1.5 as a", "a number with a point"),
    ("select 1e3 as a", "a number with a point"),
    ("select cast('1.5' as decimal(38,12)) as a", "a number written as text"),
    ("select cast(a as double) as b from t", "a type outside"),
    ("select cast(a as hugeint) as b from t", "a type outside"),
    ("select cast(a as timestamp) as b from t", "a type outside"),
    ("select cast(a as bigint[]) as b from t", "a type outside"),
    ("select a::float as b from t", "a type outside"),
    ("select cast(a as decimal) as b from t", "a type outside"),
    ("select try_cast(a as bigint) as b from t", "not in the portable subset"),
    # Order.
    ("select row_number() over (partition by a) as b from t", "an order is missing"),
    ("select lag(a) over () as b from t", "an order is missing"),
    ("select row_number() over (order by used_at_us) as b from t", "may have ties"),
    ("select lag(a) over (order by used_at_us) as b from t", "may have ties"),
    ("select first_value(a) over w as b from t window w as (order by c)", "may have ties"),
    ("select first_value(a) over w as b from t window w as (partition by c)", "an order is missing"),
    ("select max(a) over (order by b, attempt_key) as c from t", "without a stated frame"),
    ("select max(a) over (order by b rows between 1 preceding and current row) as c from t", "may have ties"),
    ("select ntile(4) over (order by attempt_key) as b from t", "not in the portable subset"),
    # Shape.
    ("with a as (select * from t) select * from a", "select * is for the closing line"),
    ("with a as (select t.* from t) select k from a", "select * is for the closing line"),
    ("select * exclude (a) from t", "select * with changes"),
    ("select * replace (1 as a) from t", "select * with changes"),
    ("select columns('a.*') from t", "not in the portable subset"),
    ("select distinct a from t", "limit, distinct and qualify"),
    ("select a from t qualify row_number() over (order by attempt_key) = 1", "limit, distinct and qualify"),
    ("select a from t group by all", "group by names its columns"),
    ("select a, count(*) as n from t group by 1", "group by names its columns"),
    ("select a, count(*) as n from t group by rollup (a)", "not in the portable subset"),
    ("select a from t order by 1", "order by names its columns"),
    ("select a from t order by all", "not in the portable subset"),
    ("select a from t union select a from u", "say union all"),
    ("select a.k from t as a join u as b on a.k = b.k", "does not say inner"),
    ("select k from t inner join u using (k)", "a join beside inner"),
    ("select k from t natural join u", "a join beside inner"),
    ("select k from t right join u on t.k = u.k", "a join beside inner"),
    ("select k from t semi join u on t.k = u.k", "a join beside inner"),
    ("select k from t, u", "does not say inner"),
    ("select k from t cross join lateral (select 1 as b) as u", "not in the portable subset"),
    ("with recursive a as (select 1 as k union all select k + 1 from a) select * from a", "recursive"),
    ("pivot t on a using sum(b)", "not in the portable subset"),
    ("select a from read_parquet('x.parquet')", "not in the portable subset"),
    ("select a from t where a = $other", "a parameter beside"),
    ("select a from t where a = ?", "a parameter beside"),
    ("select regexp_matches(a, 'b') as c from t", "not in the portable subset"),
    ("select a ilike 'b' as c from t", "not in the portable subset"),
    ("select lower(a) as b from t", "not in the portable subset"),
    ("select my_function(a) as b from t", "not in the portable subset"),
    ("select a from t; select b from t", "2 statements"),
    ("insert into t select a from u", "not in the portable subset"),
    ("select from where", "cannot be parsed"),
]


@pytest.mark.parametrize("model", EVERY, ids=lambda model: model.name)
def test_the_sql_keeps_to_the_portable_subset(model: Model) -> None:
    keys = [models()[read].key for read in model.reads if read in models()]
    assert complaints(model.sql, keys) == []


@pytest.mark.parametrize("model", EVERY, ids=lambda model: model.name)
def test_the_sql_translates_to_spark_and_parses_there(model: Model) -> None:
    tree = sqlglot.parse_one(model.sql, read="duckdb")
    spark = tree.sql("spark", unsupported_level=sqlglot.ErrorLevel.RAISE)
    again = sqlglot.parse_one(spark, read="spark")
    assert {table.name for table in again.find_all(sqlglot.exp.Table)} >= set(model.reads)
    assert "$" not in spark


@pytest.mark.parametrize("select", ALLOWED)
def test_the_lint_lets_pass_what_is_portable(select: str) -> None:
    assert complaints(select) == []


@pytest.mark.parametrize(("select", "said"), FORBIDDEN)
def test_the_lint_refuses_what_is_not(select: str, said: str) -> None:
    found = complaints(select)
    assert any(said in complaint for complaint in found), found


def test_an_order_over_the_whole_key_of_a_table_has_no_ties() -> None:
    select = (
        "select row_number() over (partition by meter order by usage_date desc) as n from stg_price_items"
    )
    assert complaints(select, [("usage_date", "meter")]) == []
    assert "may have ties" in complaints(select, [("usage_date", "meter", "price_key")])[0]


def test_no_two_forbidden_constructs_are_the_same() -> None:
    assert len({select for select, _ in FORBIDDEN}) == len(FORBIDDEN)
