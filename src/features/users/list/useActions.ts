import type { UserRow } from '#contract/users.ts'
import { type UserMove, userStatus, whyNotMove } from '#domain/accounts/users.ts'
import type { OverlaidRow } from '#local/lists/list-view.ts'
import { useDispatch, useSelector, useSignedIn } from '#state/hooks.ts'
import type { RowAction } from '#ui/list/column.ts'
import { useTranslation } from 'react-i18next'
import type { View } from '#features/users/list-url.ts'
import { useLastAdmin } from '#features/users/form/useLastAdmin.ts'
import { useTellOf } from '#features/users/useResultToast.ts'
import { move, selectMoving } from '#features/users/slice.ts'

interface Ways {
  onOpen: (open: View['open']) => void
  onRemove: (shown: OverlaidRow<UserRow>) => void
  onDone: () => void
}

const icons = { activatemail: 'mail', disable: 'stop', enable: 'play' } as const
/** What takes a move back (C-14): it is sent at once, because a disabled user must be out at once. */
const back: Partial<Record<UserMove, UserMove>> = { disable: 'enable', enable: 'disable' }

/** What may be done on each row, by the moves of portal 4; what may not says why. */
export function useActions({ onOpen, onRemove, onDone }: Ways) {
  const { t } = useTranslation('users')
  const { t: words } = useTranslation('ui')
  const { user } = useSignedIn()
  const lapsed = useSelector(({ connection }) => connection.lapsed)
  const moving = useSelector((state) => selectMoving(state))
  const dispatch = useDispatch()
  const tell = useTellOf()
  const last = useLastAdmin()

  const whyNot = (what: UserMove) => (shown: OverlaidRow<UserRow>) => {
    const { row } = shown
    if (lapsed) return words('form.lapsed')
    if (moving[row.id]) return t('reason.moving')
    const why = whyNotMove(what, row, { self: row.id === user.id, last: row.id === last })
    return why && t(`reason.${why === 'USER_STATUS_INVALID' ? what : why}`)
  }

  async function run(what: UserMove, { row }: OverlaidRow<UserRow>) {
    const result = await dispatch(move(what, row.id))
    if (!result) return
    const reverse = back[what]
    const undo = reverse && { label: t('toast.undo'), run: () => void run(reverse, { row, waiting: null }) }
    tell(t(`action.${what}`), result, undo)
    if (result.kind !== 'queued') onDone()
  }

  const step = (what: 'activatemail' | 'disable' | 'enable'): RowAction<OverlaidRow<UserRow>> => ({
    key: what,
    label: t(`action.${what}`),
    icon: icons[what],
    whyNot: whyNot(what),
    onSelect: (shown) => void run(what, shown),
  })

  return ({ row }: OverlaidRow<UserRow>): RowAction<OverlaidRow<UserRow>>[] => {
    // Of the two opposites only the one that fits is offered; where neither does, the first says why.
    const toggle = row.status === userStatus.disabled ? 'enable' : 'disable'
    return [
      {
        key: 'edit',
        label: t('action.edit'),
        icon: 'edit',
        whyNot: (shown) => (shown.row.status === userStatus.deleted ? t('reason.deleted') : null),
        onSelect: (shown) => onOpen(shown.row.id),
      },
      step('activatemail'),
      step(toggle),
      {
        key: 'remove',
        label: t('action.remove'),
        icon: 'remove',
        danger: true,
        whyNot: whyNot('remove'),
        onSelect: onRemove,
      },
    ]
  }
}
