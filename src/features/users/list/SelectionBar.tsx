import { useEffect } from 'react'
import type { UserRow } from '#contract/users.ts'
import type { UserAction } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useConnection, useDispatch, useSelector } from '#state/use-store.ts'
import { Button } from '#ui/display/Button.tsx'
import type { IconName } from '#ui/icons/Icon.tsx'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { moveFocusFromBar } from '#ui/list/SelectionBox.tsx'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useEscape } from '#ui/overlay/useEscape.ts'
import { showToast } from '#ui/overlay/toasts.tsx'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useTranslation } from 'react-i18next'
import { BulkActionDialog } from '#features/users/list/BulkActionDialog.tsx'
import { fetchAllRows, type ListSource, readAllRows, shouldFetchAll } from '#patterns/list-export/fetch-all-rows.ts'
import { type UsersView, usersView } from '#features/users/view.ts'
import { RolesDialog } from '#features/users/list/RolesDialog.tsx'
import { rowsSelected, selectionEnded, selectRowSelection } from '#features/users/list/row-selection.ts'

interface SelectionBarProps {
  list: {
    view: UsersView
    rows: readonly OverlaidRow<UserRow>[] | undefined
    count: number
    source: ListSource<UserRow>
  }
  isDialogOpen: boolean
  onAction: (action: BulkAction) => void
}

export type BulkAction = 'roles' | UserAction

const bulkActions: readonly { action: BulkAction; icon: IconName }[] = [
  { action: 'roles', icon: 'key' },
  { action: 'activatemail', icon: 'mail' },
  { action: 'disable', icon: 'stop' },
  { action: 'enable', icon: 'play' },
  { action: 'remove', icon: 'remove' },
]

/** Shows the number of selected users and the actions for all of them. Escape clears the selection. */
export function SelectionBar({ list: { view, rows = [], count, source }, isDialogOpen, onAction }: SelectionBarProps) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const { ids } = useSelector(selectRowSelection)
  const endSelection = useEndSelection(view, !isDialogOpen)
  const selectAll = useSelectAll(source)
  const otherPagesCount = ids.filter((id) => !rows.some(({ row }) => row.id === id)).length
  const isFullPage = rows.length > 0 && otherPagesCount + rows.length === ids.length && ids.length < count
  const disabledReason = useReadOnlyReason()
  const getActionName = (action: BulkAction) => (action === 'roles' ? t('pick.roles') : tUsers(`action.${action}`))
  const selectAllItem = {
    key: 'all',
    label: t('pick.everybody', { number: formatNumber(count) }),
    onSelect: () => void selectAll(),
  }
  const items = bulkActions.slice(1).map(({ action, icon }) => ({
    key: action,
    label: getActionName(action),
    icon,
    disabledReason,
    isDestructive: action === 'remove',
    onSelect: () => onAction(action),
  }))
  return (
    <section className="list-bar picks" aria-label={t('pick.bar')}>
      <p>
        {tUsers('pick.counted', { count: ids.length, number: formatNumber(ids.length) })}
        {otherPagesCount > 0 && (
          <span className="picks-wide"> · {t('pick.elsewhere', { number: formatNumber(otherPagesCount) })}</span>
        )}
      </p>
      {isFullPage && (
        <span className="picks-wide">
          <Button kind="plain" onClick={selectAllItem.onSelect}>
            {selectAllItem.label}
          </Button>
        </span>
      )}
      <span className="picks-acts">
        {bulkActions.map(({ action, icon }) => (
          <span key={action} className={action === 'roles' ? 'picks-first' : `picks-wide picks-${action}`}>
            <Button
              kind={action === 'remove' ? 'plain' : 'quiet'}
              icon={icon}
              aria-haspopup="dialog"
              disabledReason={disabledReason}
              onClick={() => onAction(action)}
            >
              {getActionName(action)}
            </Button>
          </span>
        ))}
        <span className="picks-narrow">
          <Menu label={t('pick.more')} items={ids.length < count ? [selectAllItem, ...items] : items} />
        </span>
      </span>
      <Button kind="plain" icon="close" isIconOnly onClick={endSelection}>
        {t('pick.end')}
      </Button>
    </section>
  )
}

interface BulkActionRunnerProps {
  action: BulkAction
  onDone: () => void
  onClose: () => void
}

/** Renders the dialog of a bulk action. It is outside the bar, because the bar disappears when no user is selected. */
export function BulkActionRunner({ action, onDone, onClose }: BulkActionRunnerProps) {
  const { ids } = useSelector(selectRowSelection)
  if (action === 'roles') return <RolesDialog ids={ids} onDone={onDone} onClose={onClose} />
  return <BulkActionDialog action={action} ids={ids} onDone={onDone} onClose={onClose} />
}

/** Selects all users of the filter: from the device, or from the server if the device does not have all of them. */
function useSelectAll(source: ListSource<UserRow>) {
  const dispatch = useDispatch()
  const connection = useConnection()
  return async () => {
    const cachedList = await readAllRows(source)
    const result = shouldFetchAll(cachedList, connection) ? await dispatch(fetchAllRows(source)) : null
    if (result?.kind === 'problem') return showToast({ kind: 'failed', text: formatProblem(result.problem) })
    const rows = result ? result.output : cachedList.rows
    dispatch(rowsSelected({ ids: rows.map(({ row }) => row.id), isSelected: true }))
  }
}

/** Clears the selection when the filter changes, so that no action runs on hidden rows. */
function useEndSelection(view: UsersView, canEnd: boolean) {
  const dispatch = useDispatch()
  const filters = JSON.stringify(usersView.toFilterQuery(view))
  const endSelection = () => {
    dispatch(selectionEnded())
    moveFocusFromBar()
  }
  useEffect(() => () => void dispatch(selectionEnded()), [dispatch, filters])
  useEscape(endSelection, canEnd)
  return endSelection
}
