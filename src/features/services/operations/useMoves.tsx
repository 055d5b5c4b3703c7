import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { Intent } from '#contract/endpoint.ts'
import type { ServiceRow } from '#contract/services.ts'
import { useSignedIn } from '#state/hooks.ts'
import { historyPath } from '#ui/links/history-path.ts'
import type { IconName } from '#ui/icons/Icon.tsx'
import type { MenuItem } from '#ui/overlay/Menu.tsx'
import { find } from '#ui/i18n/i18n.ts'
import { useTranslation } from 'react-i18next'
import { AskDialog, DeleteDialog } from '#features/services/operations/AskDialog.tsx'
import { ConfigDialog } from '#features/services/operations/ConfigDialog.tsx'
import { openJobOf, passwordJobOf, type ServiceJob } from '#features/services/operations/jobs.ts'
import { type Move, movesOf, whyNotMove } from '#features/services/operations/moves.ts'
import { PasswordDialog } from '#features/services/operations/PasswordDialog.tsx'
import { RebootOffer } from '#features/services/operations/RebootOffer.tsx'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'
import { DownloadDialog } from '#features/services/log/DownloadDialog.tsx'
import type { Wish } from '#features/services/slice.ts'
import { useBusinessDay } from '#features/services/useBusinessNow.ts'

type Over =
  | { kind: Exclude<Move, 'log'>; row: ServiceRow }
  | { kind: 'rebootOffer'; row: ServiceRow }
  | { kind: 'password'; row: ServiceRow; intent: Intent }

const icons: Record<Move, IconName> = {
  create: 'plus',
  update: 'upload',
  reboot: 'refresh',
  configure: 'tools',
  reset: 'key',
  log: 'trail',
  download: 'install',
  remove: 'stop',
  delete: 'remove',
}
const dangerous: readonly Move[] = ['remove', 'delete']

interface Ways {
  jobs: readonly ServiceJob[] | undefined
  /** Where its log is read. */
  logPath: (row: ServiceRow) => string
  /** Something has come to an end: what is shown may be old. */
  onDone: () => void
}

/** What may be done to a service, as a menu by state and right, and the dialogs that do it. */
export function useMoves({ jobs, logPath, onDone }: Ways) {
  const { t } = useTranslation('services')
  const { caller } = useSignedIn()
  const navigate = useNavigate()
  const offline = useWhyOffline()
  const today = useBusinessDay()
  const [over, setOver] = useState<Over | null>(null)
  const close = () => setOver(null)

  function whyNot(move: Move, row: ServiceRow): string | null {
    if (move === 'log') return null
    const why = whyNotMove(move, row, caller, today)
    if (move === 'download') return offline
    if (why === 'busy') return busyWords(row)
    if (why) return t(`whyNot.${why}`, { date: row.period_start ?? '' })
    // What this device has begun the list may not tell of yet.
    return openJobOf(jobs, row) ? t('whyNot.begun') : offline
  }
  function busyWords({ operation }: ServiceRow): string {
    const action = find('services', `locked.${operation?.kind}`) ?? ''
    const user = operation?.user_name ?? null
    return user === null ? t('whyNot.busyItself', { action }) : t('whyNot.busy', { user, action })
  }
  const select = (move: Move, row: ServiceRow) =>
    move === 'log' ? void navigate(logPath(row)) : setOver({ kind: move, row })

  const itemsOf = (row: ServiceRow): MenuItem[] => {
    const history = historyPath({ code: 'service', name: row.code, companyId: row.company_id }, caller)
    const moves = movesOf(row, caller, today).map((move) => ({
      key: move,
      label: t(`move.${move}`),
      icon: icons[move],
      danger: dangerous.includes(move),
      whyNot: whyNot(move, row),
      onSelect: () => select(move, row),
    }))
    const made = passwordJobOf(jobs, row)
    const password: MenuItem[] = made
      ? [
          {
            key: 'password',
            label: t('move.password'),
            icon: 'seen',
            whyNot: offline,
            onSelect: () => setOver({ kind: 'password', row, intent: made.intent }),
          },
        ]
      : []
    const historyItem: MenuItem[] =
      history === null
        ? []
        : [{ key: 'history', label: t('move.history'), icon: 'history', onSelect: () => void navigate(history) }]
    return [
      ...password,
      ...moves.filter(({ danger }) => !danger),
      ...historyItem,
      ...moves.filter(({ danger }) => danger),
    ]
  }

  const done = (row: ServiceRow) => (wish: Wish, intent: Intent) => {
    onDone()
    if (wish.kind === 'configure') setOver({ kind: 'rebootOffer', row })
    if ((wish.kind === 'create' && !wish.hasData) || wish.kind === 'reset') setOver({ kind: 'password', row, intent })
  }
  return {
    itemsOf,
    offers: (row: ServiceRow, move: Move) => movesOf(row, caller, today).includes(move),
    whyNot,
    open: setOver,
    dialogs: over && dialogOf(over, close, done),
  }
}

function dialogOf(
  over: Over,
  onClose: () => void,
  done: (row: ServiceRow) => (wish: Wish, intent: Intent) => void,
): ReactNode {
  const { kind, row } = over
  const props = { row, onClose, onDone: done(row) }
  switch (kind) {
    case 'configure':
      return <ConfigDialog {...props} />
    case 'delete':
      return <DeleteDialog {...props} />
    case 'download':
      return <DownloadDialog service={row} onClose={onClose} />
    case 'rebootOffer':
      return <RebootOffer row={row} onClose={onClose} />
    case 'password':
      return <PasswordDialog service={row} intent={over.intent} onClose={onClose} />
    default:
      return <AskDialog move={kind} {...props} />
  }
}
