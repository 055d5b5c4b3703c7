import { formatNumber } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { formatProblem } from '#ui/i18n/problem-messages.ts'
import { formatQueuedMessage } from '#ui/i18n/queued-messages.ts'
import type { BulkActionResult } from '#features/users/list/run-bulk-action.ts'

const outcomeKinds = ['done', 'queued', 'failed'] as const
const icons = { done: 'check', queued: 'waiting', failed: 'alert' } as const

function getOutcomeKind({ result }: BulkActionResult): (typeof outcomeKinds)[number] {
  if (result?.kind === 'queued') return 'queued'
  return result?.kind === 'fresh' ? 'done' : 'failed'
}

export function BulkOutcome({ results }: { results: readonly BulkActionResult[] }) {
  const { t } = useTranslation('people')
  const { t: tUsers } = useTranslation('users')
  const countTexts = outcomeKinds.flatMap((kind) => {
    const count = results.filter((bulkResult) => getOutcomeKind(bulkResult) === kind).length
    return count === 0 ? [] : [t(`many.sum.${kind}`, { number: formatNumber(count) })]
  })
  const formatResult = ({ result }: BulkActionResult) => {
    if (result === null) return tUsers('reason.moving')
    if (result.kind === 'problem') return formatProblem(result.problem)
    if (result.kind === 'queued') return result.holdReason ? formatQueuedMessage(result) : t('many.verdict.queued')
    return t('many.verdict.done')
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
