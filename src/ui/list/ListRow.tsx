import { memo, type MouseEvent, type ReactNode, useRef } from 'react'
import { Link } from 'react-router-dom'
import { Button } from '#ui/display/Button.tsx'
import { classOf, type Column, type RowAction } from '#ui/list/column.ts'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'

export interface Drawn<R> {
  columns: Column<R>[]
  /** How readers and menus call the row: "Li Wei". */
  rowName: (row: R) => string
  /** Where the first column leads. */
  rowTo?: ((row: R) => string | null) | undefined
  /** What a row is chosen with, before all columns. Where a row leads nowhere all of it chooses. */
  pick?: { cell: (row: R) => ReactNode } | undefined
  /** Of the row's own, beside what leads to it; a phone has it in the menu. */
  beside?: ((row: R) => ReactNode) | undefined
  /** Waiting writes: `<PendingMark …/>` under the first column. */
  mark?: ((row: R) => ReactNode) | undefined
  actions?: ((row: R) => RowAction<R>[]) | undefined
}

function PlainRow<R>({ row, pick, columns, rowTo, rowName, beside, mark, actions }: { row: R } & Drawn<R>) {
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
      {columns.map((column, index) => {
        const drawn = column.render(row)
        if (index > 0)
          return (
            // What does not fit stands in the title; what is more than text has its own.
            <td key={column.key} role="cell" className={classOf(column)} title={isText(drawn) ? drawn : undefined}>
              {drawn}
            </td>
          )
        return (
          <td key={column.key} role="cell" className={`${classOf(column)} first`}>
            <span className="lead">
              {to ? (
                <Link ref={link} to={to}>
                  {drawn}
                </Link>
              ) : (
                <span>{drawn}</span>
              )}
              {beside?.(row)}
              {marked}
            </span>
          </td>
        )
      })}
      {actions && (
        <td role="cell" className="acts">
          <RowActions row={row} name={rowName(row)} actions={actions(row)} />
        </td>
      )}
    </tr>
  )
}

const isText = (drawn: ReactNode): drawn is string => typeof drawn === 'string'

/** Drawn again only when it is another row, or when the page gives other functions: those that stay the same spare a slow device. */
export const ListRow = memo(PlainRow) as typeof PlainRow

function RowActions<R>({ row, name, actions }: { row: R; name: string; actions: RowAction<R>[] }) {
  const { t } = useTranslation('ui')
  const first = actions.find(({ own }) => own)
  const items = actions
    // What has its words in the row has no room there on a phone.
    .filter((action) => action !== first || first.own === 'words')
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
        <Button
          kind={first.own === 'words' ? 'quiet' : 'plain'}
          icon={first.own === 'words' ? undefined : first.icon}
          bare={first.own !== 'words'}
          whyNot={first.whyNot?.(row)}
          onClick={() => first.onSelect(row)}
        >
          {first.own === 'words' ? (
            <>
              {first.label} <span className="sr-only">{name}</span>
            </>
          ) : (
            t('list.actionOn', { action: first.label, name })
          )}
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
