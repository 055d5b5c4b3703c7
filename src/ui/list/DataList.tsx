import { memo, type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router-dom'
import '#ui/list/list.css'
import { Button } from '#ui/display/Button.tsx'
import { type Fresh, Freshness, number } from '#ui/list/Freshness.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { Pages } from '#ui/list/Pagination.tsx'
import { Select } from '#ui/form/Select.tsx'
import { useTranslation } from 'react-i18next'

export interface Column<R> {
  /** The field it sorts by, where it sorts. */
  key: string
  header: string
  render: (row: R) => ReactNode
  sortable?: boolean
  /** Numbers and money stand right. */
  align?: 'end'
  /** 1 always, 2 also on a tablet in portrait, 3 on wide screens only; cards show all of them. */
  priority?: 1 | 2 | 3
}

export interface RowAction<R> {
  key: string
  label: string
  icon: IconName
  danger?: boolean
  /** Why not on this row, in words. */
  whyNot?: (row: R) => string | null
  onSelect: (row: R) => void
}

export type Sort = readonly [field: string, order: 'asc' | 'desc']

export interface DataListProps<R> {
  /** Names the table for readers: "Users of Acme". */
  caption: string
  /** "68 users" */
  counted: (count: number) => string
  columns: Column<R>[]
  /** Undefined until the device has been asked: only then a skeleton is shown. */
  rows: R[] | undefined
  rowKey: (row: R) => string
  /** How readers and menus call the row: "Li Wei". */
  rowName: (row: R) => string
  /** Where the first column leads. */
  rowTo?: ((row: R) => string | null) | undefined
  /** A column before all others, for choosing rows: its head, and what stands in each row. */
  pick?: { head: ReactNode; cell: (row: R) => ReactNode } | undefined
  /** A button of the row's own, beside what leads to it. */
  beside?: (row: R) => ReactNode
  /** Waiting writes: `<PendingMark …/>` beside the first column. */
  mark?: (row: R) => ReactNode
  actions?: (row: R) => RowAction<R>[]
  /** Key of the action that gets its own button. */
  most?: string
  sort: Sort
  onSort: (sort: Sort) => void
  page: number
  results: number
  count: number
  onPage: (page: number) => void
  onResults: (results: number) => void
  /** In place of the page numbers, for a list that is longer than they go. */
  pager?: ReactNode
  fresh: Fresh
  /** The old rows stay, dimmed. */
  isFetching: boolean
  /** Shown in place of rows: `<EmptyState …/>`, or a ProblemNote. */
  empty: ReactNode
}

/** A table of rows, cards on a phone. Native elements: sorting, paging and reading it need no library. */
export function DataList<R>(props: DataListProps<R>) {
  const { rows, columns, rowTo, rowName, pick, beside, mark, actions, most } = props
  const drawn = { columns, rowTo, rowName, pick, beside, mark, actions, most }
  return (
    <Room
      {...props}
      above={<SortSelect {...props} />}
      head={
        <tr role="row">
          {pick && (
            <th scope="col" role="columnheader" className="pick">
              {pick.head}
            </th>
          )}
          {columns.map((column) => (
            <Header key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
          ))}
          {actions && (
            <th scope="col" role="columnheader" className="acts">
              <ActionsWord />
            </th>
          )}
        </tr>
      }
      body={rows?.map((row) => <Row key={props.rowKey(row)} row={row} {...drawn} />)}
      waiting={<Waiting {...props} />}
      below={<Foot {...props} />}
    />
  )
}

interface RoomProps {
  above: ReactNode
  head: ReactNode
  /** Undefined until the device has been asked. */
  body: ReactNode[] | undefined
  waiting: ReactNode
  below: ReactNode
}

function Room<R>({
  above,
  head,
  body,
  waiting,
  below,
  caption,
  empty,
  fresh,
  count,
  isFetching,
}: DataListProps<R> & RoomProps) {
  const isAwaited = useAwaited(isFetching, fresh)
  if (body?.length === 0 && !isAwaited)
    return (
      <div className="list-room">
        <div className="list">
          {empty}
          {/* Of when the nothing is, and what was searched where that is not all there is. */}
          {(fresh.asOf !== null || (fresh.pending ?? 0) > 0) && (
            <p className="list-searched" role="status">
              <Freshness fresh={fresh} found={count} />
            </p>
          )}
        </div>
      </div>
    )
  return (
    <div className="list-room">
      <div className={`list${isFetching && body?.length ? ' again' : ''}`}>
        {above}
        {/* The roles are spelled out because cards take the table's display away, and with it what the tags mean. */}
        <table className="table" role="table" aria-busy={isFetching || !body?.length}>
          <caption className="sr-only">{caption}</caption>
          <thead role="rowgroup">{head}</thead>
          {/* An empty device that is just being filled has no answer yet: that is a skeleton, not "no users". */}
          <tbody role="rowgroup">{body?.length ? body : waiting}</tbody>
        </table>
        {below}
      </div>
    </div>
  )
}

/** A device that has not told of an answer by then has nothing new to tell, or was never given one. */
const readBackMs = 2_000

/**
 * Whether rows may still come of an asking: it is under way, or answered and the list not read from the device since. An
 * empty list may only be an old one until then, and "nobody yet" would stand there for a blink. One that is here whole is known.
 */
function useAwaited(busy: boolean, { asOf, complete, isKept }: Fresh): boolean {
  // Before any time there is: nothing is awaited.
  const [since, setSince] = useState(-1)
  useEffect(() => {
    if (busy) return setSince(asOf ?? 0)
    const timer = setTimeout(setSince, readBackMs, -1)
    return () => clearTimeout(timer)
    // As it was when the asking began.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [busy])
  return busy || (!complete && !isKept && (asOf ?? 0) <= since)
}

const ActionsWord = () => <span className="sr-only">{useTranslation('ui').t('list.actions')}</span>

const other = (order: Sort[1]) => (order === 'asc' ? 'desc' : 'asc')

function Header<R>({ column, sort, onSort }: { column: Column<R>; sort: Sort; onSort: (sort: Sort) => void }) {
  const sorted = column.sortable && sort[0] === column.key
  const spoken = sorted ? (sort[1] === 'asc' ? 'ascending' : 'descending') : undefined
  return (
    <th scope="col" role="columnheader" aria-sort={spoken} className={cellClass(column)}>
      {column.sortable ? (
        <button type="button" onClick={() => onSort([column.key, sorted ? other(sort[1]) : 'asc'])}>
          {column.header}
          <span className={`sorted${sorted ? '' : ' not'}`}>
            <Icon name={sorted && sort[1] === 'desc' ? 'descending' : 'ascending'} size={16} />
          </span>
        </button>
      ) : (
        column.header
      )}
    </th>
  )
}

const cellClass = <R,>({ align, priority = 1 }: Column<R>) => `p${priority}${align ? ' end' : ''}`

type Drawn = 'columns' | 'rowTo' | 'rowName' | 'pick' | 'beside' | 'mark' | 'actions' | 'most'
type RowProps<R> = { row: R } & { [K in Drawn]: DataListProps<R>[K] }

function PlainRow<R>({ row, pick, columns, rowTo, rowName, beside, mark, actions, most }: RowProps<R>) {
  const link = useRef<HTMLAnchorElement>(null)
  const to = rowTo?.(row) ?? null
  const marked = mark?.(row)
  // The whole row is a larger target for the same link; the keyboard has the link itself.
  const open = (event: MouseEvent) => {
    const at = event.target as Element
    if (at.closest('a, button, input, label, [role=menu]') || getSelection()?.toString()) return
    link.current?.click()
  }
  return (
    // biome-ignore lint: an addition for the pointer only
    <tr role="row" className={`${to ? 'leads' : ''}${marked ? ' marked' : ''}`} onClick={to ? open : undefined}>
      {pick && (
        <td role="cell" className="pick">
          {pick.cell(row)}
        </td>
      )}
      {columns.map((column, index) => (
        <td key={column.key} role="cell" data-label={column.header} className={cellClass(column)}>
          {index === 0 ? (
            <span className="lead">
              {to ? (
                <Link ref={link} to={to}>
                  {column.render(row)}
                </Link>
              ) : (
                column.render(row)
              )}
              {beside?.(row)}
              {marked}
            </span>
          ) : (
            column.render(row)
          )}
        </td>
      ))}
      {actions && (
        <td role="cell" className="acts">
          <RowActions row={row} name={rowName(row)} actions={actions(row)} most={most} />
        </td>
      )}
    </tr>
  )
}

/** Drawn again only when it is another row, or when the page gives other functions: those that stay the same spare a slow device. */
const Row = memo(PlainRow) as typeof PlainRow

function RowActions<R>({
  row,
  name,
  actions,
  most,
}: {
  row: R
  name: string
  actions: RowAction<R>[]
  most: string | undefined
}) {
  const { t } = useTranslation('ui')
  const first = actions.find(({ key }) => key === most)
  const items = actions
    .filter((action) => action !== first)
    .map(({ key, label, icon, danger, whyNot, onSelect }) => ({
      key,
      label,
      icon,
      danger: danger ?? false,
      whyNot: whyNot?.(row),
      onSelect: () => onSelect(row),
    }))
  return (
    <span className="row-actions">
      {first && (
        <Button kind="plain" icon={first.icon} bare whyNot={first.whyNot?.(row)} onClick={() => first.onSelect(row)}>
          {t('list.actionOn', { action: first.label, name })}
        </Button>
      )}
      {items.length > 0 && (
        <Menu
          label={t('list.actionsOn', { name })}
          items={items}
          nameOne={(action) => t('list.actionOn', { action, name })}
        />
      )}
    </span>
  )
}

function Waiting<R>({ columns, actions, results }: DataListProps<R>) {
  return Array.from({ length: Math.min(results, 10) }, (_, line) => (
    <tr key={line} role="row" className="waiting" aria-hidden="true">
      {columns.map((column) => (
        <td key={column.key} role="cell" className={cellClass(column)}>
          <span />
        </td>
      ))}
      {actions && <td role="cell" className="acts" />}
    </tr>
  ))
}

/** Cards have no header to press. */
function SortSelect<R>({ columns, sort, onSort }: DataListProps<R>) {
  const { t } = useTranslation('ui')
  const sortable = columns.filter(({ sortable }) => sortable)
  if (sortable.length === 0) return null
  return (
    <label className="sort-select">
      {t('list.sortBy')}
      <Select
        value={sort.join(' ')}
        onChange={(event) => {
          const [field = '', order] = event.target.value.split(' ')
          onSort([field, order === 'desc' ? 'desc' : 'asc'])
        }}
      >
        {sortable.flatMap(({ key, header }) =>
          (['asc', 'desc'] as const).map((order) => (
            <option key={`${key} ${order}`} value={`${key} ${order}`}>
              {t(`list.order.${order}`, { field: header })}
            </option>
          )),
        )}
      </Select>
    </label>
  )
}

const sizes = [10, 20, 30, 40, 50]

function Foot<R>({ count, counted, page, results, rows, fresh, pager, onPage, onResults }: DataListProps<R>) {
  const { t } = useTranslation('ui')
  const pages = Math.max(1, Math.ceil(count / results))
  return (
    <div className="list-foot">
      {/* Says by itself what a new filter, page or sort led to. */}
      <p role="status">
        {rows && rows.length > 0 && (
          <>
            {!fresh.searched && <span>{counted(count)}</span>}
            {pages > 1 && !pager && <span>{t('list.page', { page: number(page), pages: number(pages) })}</span>}
            <Freshness fresh={fresh} found={count} />
          </>
        )}
      </p>
      <label className="page-size">
        {t('list.rowsPerPage')}
        <Select value={results} onChange={(event) => onResults(Number(event.target.value))}>
          {sizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </Select>
      </label>
      {pager ?? (pages > 1 && <Pages page={page} pages={pages} onPage={onPage} />)}
    </div>
  )
}
