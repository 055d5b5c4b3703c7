/**
 * Adds the start date of a chain of consecutive periods, and the months bought since then (decision 60). For existing rows it is computed
 * from the orders. No agreed end date changes. A backup that was shortened to the end of its contract has no start date.
 */
import { type Kysely, sql } from 'kysely'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['contract', 'backup_order'])
    await sql`
      alter table ${sql.table(table)}
        add column anchor_date text collate "C",
        add column anchor_months integer,
        add constraint ${sql.ref(`${table}_anchor`)} check (num_nulls(anchor_date, anchor_months) <> 1)`.execute(db)
  // Row-level security applies to the tables' owner too, who would see no rows, so this runs as portal_system.
  await sql`set local role portal_system`.execute(db)
  await contracts(db)
  await backups(db)
  await sql`reset role`.execute(db)
}

/** A change, or an extension that begins where its contract ended, continues the chain. Any other extension starts a new chain. */
async function contracts(db: Kysely<unknown>): Promise<void> {
  await sql`
    with recursive anchored (id, anchor) as (
      select c.id, c.period_start from contract c join service_order o on o.id = c.order_id where o.base_id is null
      union all
      select c.id, case when c.type = 'change' or o.period_start = base.period_end then anchored.anchor else c.period_start end
      from anchored
      join contract base on base.id = anchored.id
      join service_order o on o.base_id = base.id
      join contract c on c.order_id = o.id
    )
    update contract set
      anchor_date = anchored.anchor,
      anchor_months = 12 * (left(contract.period_end, 4)::integer - left(anchored.anchor, 4)::integer)
    from anchored where anchored.id = contract.id`.execute(db)
}

/** Processes backup orders in the order of their ids. Each order follows the last paid order before it. */
async function backups(db: Kysely<unknown>): Promise<void> {
  const last = sql`
    lateral (
      select b.id, b.period_end from backup_order b
      where b.company_id = o.company_id and b.service_id = o.service_id and b.pdb_type = o.pdb_type and b.status = 1 and b.id < o.id
      order by b.period_end desc, b.id desc limit 1
    ) last`
  const bought = sql`o.period * case o.period_type when 'year' then 12 else 1 end`
  // A backup was shortened if it ends before the end date that was computed from its own start when it was bought.
  const isCut = sql`
    o.period_end < to_char(o.period_start::date + make_interval(months => ${bought}), 'YYYY-MM-DD')`
  await sql`
    with recursive step (id, last_id, follows, months, is_cut, period_start) as (
      select o.id, last.id, coalesce(last.period_end = o.period_start, false), ${bought}, ${isCut}, o.period_start
      from backup_order o left join ${last} on true
    ),
    anchored (id, anchor, months) as (
      select id, case when not is_cut then period_start end, case when not is_cut then months end
      from step where last_id is null
      union all
      select step.id,
        case when step.is_cut then null when step.follows and a.anchor is not null then a.anchor else step.period_start end,
        case when step.is_cut then null when step.follows and a.anchor is not null then a.months + step.months
          else step.months end
      from anchored a join step on step.last_id = a.id
    )
    update backup_order set anchor_date = anchored.anchor, anchor_months = anchored.months
    from anchored where anchored.id = backup_order.id and anchored.anchor is not null`.execute(db)
  // Takes a new change number, so that devices load the new columns.
  await sql`
    update change set value = value + 1 where company_id in (select company_id from backup_order)`.execute(db)
  await sql`
    update backup_order set change = change.value from change where change.company_id = backup_order.company_id`.execute(
    db,
  )
}
