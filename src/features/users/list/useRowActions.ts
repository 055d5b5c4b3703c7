import type { UserRow } from '#contract/users.ts'
import { type UserAction, userStatus, getUserActionRefusal, reverseActions } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSelector, useSignedInSession } from '#state/use-store.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useReadOnlyReason } from '#patterns/useOfflineReason.ts'
import { useTranslation } from 'react-i18next'
import type { UsersView } from '#features/users/view.ts'
import { useLastAdmin } from '#features/users/form/useLastAdmin.ts'
import { useResultToast } from '#features/users/useResultToast.ts'
import { runUserAction, selectRunningActions } from '#features/users/slice.ts'

interface RowActionHandlers {
  onOpen: (open: UsersView['open']) => void
  onRemove: (overlaidRow: OverlaidRow<UserRow>) => void
  onDone: () => void
}

const icons = { activatemail: 'mail', disable: 'stop', enable: 'play' } as const

/** Returns the actions of each row (portal 4), with the reason if one is not allowed. */
export function useRowActions({ onOpen, onRemove, onDone }: RowActionHandlers) {
  const { t } = useTranslation('users')
  const { user } = useSignedInSession()
  const readOnlyReason = useReadOnlyReason()
  const runningActions = useSelector((state) => selectRunningActions(state))
  const dispatch = useDispatch()
  const showResult = useResultToast()
  const lastAdminId = useLastAdmin()

  const getDisabledReason = (action: UserAction) => (overlaidRow: OverlaidRow<UserRow>) => {
    const { row } = overlaidRow
    if (readOnlyReason) return readOnlyReason
    if (runningActions[row.id]) return t('reason.moving')
    const refusal = getUserActionRefusal(action, row, {
      isSelf: row.id === user.id,
      isLastAdmin: row.id === lastAdminId,
    })
    return refusal && t(`reason.${refusal === 'USER_STATUS_INVALID' ? action : refusal}`)
  }

  async function run(action: UserAction, { row }: OverlaidRow<UserRow>) {
    const result = await dispatch(runUserAction(action, row.id))
    if (!result) return
    const reverseAction = reverseActions[action]
    const undo = reverseAction && {
      label: t('toast.undo'),
      onRun: () => void run(reverseAction, { row, waiting: null }),
    }
    showResult(action, result, undo)
    if (result.kind !== 'queued') onDone()
  }

  const createAction = (action: 'activatemail' | 'disable' | 'enable'): RowAction<OverlaidRow<UserRow>> => ({
    key: action,
    label: t(`action.${action}`),
    icon: icons[action],
    getDisabledReason: getDisabledReason(action),
    onSelect: (overlaidRow) => void run(action, overlaidRow),
  })

  return ({ row }: OverlaidRow<UserRow>): RowAction<OverlaidRow<UserRow>>[] => {
    // Either "enable" or "disable" is offered. If the status allows neither, "disable" is shown with the reason.
    const toggleAction = row.status === userStatus.disabled ? 'enable' : 'disable'
    return [
      {
        key: 'edit',
        label: t('action.edit'),
        icon: 'edit',
        hasDialog: true,
        getDisabledReason: (overlaidRow) =>
          overlaidRow.row.status === userStatus.deleted ? t('reason.deleted') : null,
        onSelect: (overlaidRow) => onOpen(overlaidRow.row.id),
      },
      createAction('activatemail'),
      createAction(toggleAction),
      {
        key: 'remove',
        label: t('action.remove'),
        icon: 'remove',
        isDestructive: true,
        hasDialog: true,
        getDisabledReason: getDisabledReason('remove'),
        onSelect: onRemove,
      },
    ]
  }
}
