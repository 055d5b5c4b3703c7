import { memo, type MouseEvent, type ReactNode, useRef } from 'react'
import { Link } from 'react-router-dom'
import { Button } from '#ui/display/Button.tsx'
import { getColumnClass, type ListColumn, type RowAction } from '#ui/list/column.ts'
import { renderCell } from '#ui/list/render-cell.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'

export interface ListRowProps<R> {
  columns: ListColumn<R>[]
  /** Name of the row for screen readers and menus: "Li Wei". */
  getRowName: (row: R) => string
  getRowPath?: ((row: R) => string | null) | undefined
  /** The selection control in the first cell. In rows without a link, a click anywhere selects the row. */
  selection?: { cell: (row: R) => ReactNode } | undefined
  /** Additional content next to the row's link. It is hidden on a phone, so the menu must contain the same action. */
  renderExtra?: ((row: R) => ReactNode) | undefined
  renderMark?: ((row: R) => ReactNode) | undefined
  actions?: ((row: R) => RowAction<R>[]) | undefined
}

function PlainRow<R>({
  row,
  selection,
  columns,
  getRowPath,
  getRowName,
  renderExtra,
  renderMark,
  actions,
}: { row: R } & ListRowProps<R>) {
  const linkRef = useRef<HTMLAnchorElement>(null)
  const to = getRowPath?.(row) ?? null
  const markContent = renderMark?.(row)
  // A click anywhere in the row opens its link, because the row is a larger target. Keyboard users use the link itself.
  const handleClick = (event: MouseEvent) => {
    const target = event.target as Element
    if (target.closest('a, button, input, label, [role=menu]') || getSelection()?.toString()) return
    linkRef.current?.click()
  }
  const underColumn = columns.find(({ isUnderFirst }) => isUnderFirst)
  const underContent = underColumn && (underColumn.exportText?.(row) ?? renderCell(underColumn, row))
  const underText = isText(underContent) ? underContent : undefined
  return (
    // biome-ignore lint: an addition for the pointer only
    <tr
      role="row"
      className={`${to ? 'leads' : ''}${markContent ? ' marked' : ''}`}
      onClick={to ? handleClick : undefined}
    >
      {selection && (
        <td role="cell" className="pick">
          {selection.cell(row)}
        </td>
      )}
      {columns.map((column, index) => {
        const content = renderCell(column, row)
        if (index > 0)
          return (
            // The `title` shows the complete text if it is cut off. Cells with other content have their own title.
            <td
              key={column.key}
              role="cell"
              className={getColumnClass(column)}
              data-label={column.phone === 'labelled' ? column.header : undefined}
              title={isText(content) ? content : undefined}
            >
              {content}
            </td>
          )
        return (
          <td
            key={column.key}
            role="cell"
            className={`${getColumnClass(column)} first`}
            data-label={column.phone === 'labelled' ? column.header : undefined}
          >
            <span className="lead" data-under={underText}>
              {to ? (
                <Link ref={linkRef} to={to}>
                  {content}
                </Link>
              ) : (
                <span>{content}</span>
              )}
              {renderExtra?.(row)}
              {markContent}
            </span>
          </td>
        )
      })}
      {actions && (
        <td role="cell" className="acts">
          <RowActions row={row} name={getRowName(row)} actions={actions(row)} />
        </td>
      )}
    </tr>
  )
}

const isText = (content: ReactNode): content is string => typeof content === 'string'

/** Re-renders only if a property changes. Pass stable functions, to avoid work on slow devices. */
export const ListRow = memo(PlainRow) as typeof PlainRow

function RowActions<R>({ row, name, actions }: { row: R; name: string; actions: RowAction<R>[] }) {
  const { t } = useTranslation('ui')
  const directAction = actions.find(({ directButton }) => directButton)
  const items = actions
    // An action whose button has text is in the menu too, because a phone hides most of these buttons.
    .filter((action) => action !== directAction || (action.directButton === 'words' && !action.isOnPhone))
    .map(({ key, label, icon, isDestructive, hasDialog, getDisabledReason, onSelect }) => ({
      key,
      label,
      icon,
      isDestructive: isDestructive ?? false,
      hasDialog: hasDialog ?? false,
      disabledReason: getDisabledReason?.(row),
      onSelect: () => onSelect(row),
    }))
  return (
    <span className="row-actions">
      {directAction && <DirectButton row={row} name={name} action={directAction} />}
      {items.length > 0 && (
        <Menu
          label={t('list.actionsOn', { name })}
          items={items}
          formatSingleLabel={(action) => t('list.actionOn', { action, name })}
        />
      )}
    </span>
  )
}

function DirectButton<R>({ row, name, action }: { row: R; name: string; action: RowAction<R> }) {
  const { t } = useTranslation('ui')
  const isWords = action.directButton === 'words'
  const button = (
    <Button
      kind={isWords ? 'quiet' : 'plain'}
      icon={isWords ? undefined : action.icon}
      isIconOnly={!isWords}
      disabledReason={action.getDisabledReason?.(row)}
      {...(action.hasDialog ? { 'aria-haspopup': 'dialog' as const } : {})}
      onClick={() => action.onSelect(row)}
    >
      {isWords ? (
        <>
          {action.label} <span className="sr-only">{name}</span>
        </>
      ) : (
        t('list.actionOn', { action: action.label, name })
      )}
    </Button>
  )
  return action.isOnPhone ? <span className="on-phone">{button}</span> : button
}
