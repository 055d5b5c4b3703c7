import { useState } from 'react'
import { useConnection, useDispatch } from '#state/use-store.ts'
import type { AppThunk } from '#state/app-thunk.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import type { SelectedUser, BulkActionResult } from '#features/users/list/run-bulk-action.ts'
import { rowsSelected } from '#features/users/list/row-selection.ts'

/** Sends what is to be done to many, and tells how far it is; undefined: not sent yet. */
export function useBulkRun(onDone: () => void) {
  const dispatch = useDispatch()
  const [results, setResults] = useState<BulkActionResult[]>()
  const [isBusy, setIsBusy] = useState(false)
  async function run(start: (onProgress: (newResults: BulkActionResult[]) => void) => AppThunk<BulkActionResult[]>) {
    setIsBusy(true)
    setResults([])
    const allResults = await dispatch(start((newResults) => setResults([...newResults])))
    setIsBusy(false)
    // What was refused stays chosen, to be looked at.
    const settledResults = allResults.filter(({ result }) => result?.kind === 'fresh' || result?.kind === 'queued')
    dispatch(rowsSelected({ ids: settledResults.map(({ user }) => user.id), isSelected: false }))
    onDone()
  }
  return { results, isBusy, run }
}

export function OfflineNote() {
  const { t } = useTranslation('people')
  const { networkState: connection } = useConnection()
  if (connection === 'online') return null
  return (
    <p className="many-line">
      <Icon name="waiting" />
      {t('many.offline')}
    </p>
  )
}

type ExclusionReason =
  | 'activatemail'
  | 'disable'
  | 'enable'
  | 'remove'
  | 'SELF_FORBIDDEN'
  | 'LAST_ADMIN'
  | 'deleted'
  | 'same'

/** Whom it is not for, and why. */
export function ExcludedUsers({
  excludedUsers,
}: {
  excludedUsers: readonly { user: SelectedUser; reason: ExclusionReason }[]
}) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  if (excludedUsers.length === 0) return null
  return (
    <>
      <h3>{t('many.out', { count: excludedUsers.length, number: formatNumber(excludedUsers.length) })}</h3>
      <ul className="many-list">
        {excludedUsers.map(({ user: { id, name }, reason }) => (
          <li key={id}>
            {name}{' '}
            <span className="field-help">{reason === 'same' ? t('many.roles.same') : tUsers(`reason.${reason}`)}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

const outcomeKinds = ['done', 'queued', 'failed'] as const
const icons = { done: 'check', queued: 'waiting', failed: 'alert' } as const

function getOutcomeKind({ result }: BulkActionResult): (typeof outcomeKinds)[number] {
  if (result?.kind === 'queued') return 'queued'
  return result?.kind === 'fresh' ? 'done' : 'failed'
}

/** What became of each. */
export function BulkOutcome({ results }: { results: readonly BulkActionResult[] }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const countTexts = outcomeKinds.flatMap((kind) => {
    const count = results.filter((bulkResult) => getOutcomeKind(bulkResult) === kind).length
    return count === 0 ? [] : [t(`many.sum.${kind}`, { number: formatNumber(count) })]
  })
  const formatResult = (bulkResult: BulkActionResult) => {
    const { result } = bulkResult
    if (result?.kind === 'problem') return formatProblem(result.problem)
    if (result?.kind === 'queued' && result.holdReason) return formatQueuedMessage(result)
    return result === null
      ? tUsers('reason.moving')
      : t(`many.verdict.${getOutcomeKind(bulkResult) === 'queued' ? 'queued' : 'done'}`)
  }
  return (
    <>
      <p role="status">{countTexts.join(' · ')}</p>
      <ul className="many-list">
        {results.map((bulkResult) => (
          <li key={bulkResult.user.id} className={getOutcomeKind(bulkResult)}>
            <Icon name={icons[getOutcomeKind(bulkResult)]} size={16} />
            <span>
              {bulkResult.user.name} <span className="field-help">{formatResult(bulkResult)}</span>
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
