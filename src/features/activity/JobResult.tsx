import type { ComponentType } from 'react'
import type { JobActivity } from '#local/jobs/read-jobs.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { verifyTrail } from '#contract/audit-trail.ts'
import type { reconcilePayments } from '#contract/payments.ts'
import type { runMoneyCheck } from '#contract/staff/refunds.ts'
import { formatNumber } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { getLanguage } from '#ui/i18n/messages.ts'

type VerifyOutput = OutputOf<typeof verifyTrail>
type MoneyCheckOutput = OutputOf<typeof runMoneyCheck>
type ReconcileOutput = OutputOf<typeof reconcilePayments>

/** Shows a service password that a job has created. The app passes it, because a feature imports no other feature. */
export type ServiceResultComponent = ComponentType<{
  activity: Pick<JobActivity, 'intent' | 'endpoint' | 'input' | 'answer'>
}>

/** D43 */
const passwordEndpoints = ['createService', 'resetServicePassword']

export function JobResult({
  activity,
  ServiceResult,
}: {
  activity: JobActivity
  ServiceResult: ServiceResultComponent
}) {
  const { endpoint, answer: response } = activity
  if (passwordEndpoints.includes(endpoint)) return <ServiceResult activity={activity} />
  return response && <EndpointResult endpoint={endpoint} body={response.body} />
}

function EndpointResult({ endpoint, body }: { endpoint: string; body: string | null }) {
  if (body === null) return null
  // The response is not validated again: the server sends only what the schema of this endpoint allows.
  if (endpoint === 'verifyTrail') return <VerifyResult result={JSON.parse(body) as VerifyOutput} />
  if (endpoint === 'reconcilePayments') return <ReconcileResult result={JSON.parse(body) as ReconcileOutput} />
  if (endpoint === 'runMoneyCheck') return <MoneyCheckResult result={JSON.parse(body) as MoneyCheckOutput} />
  return null
}

const outcomes = ['paid', 'ended', 'waiting', 'unanswered'] as const

function ReconcileResult({ result }: { result: ReconcileOutput }) {
  const { t } = useTranslation('activity')
  const presentOutcomes = outcomes.filter((outcome) => result[outcome] > 0)
  const outcomeTexts = presentOutcomes.map((outcome) =>
    t(`reconcile.${outcome}`, { number: formatNumber(result[outcome]) }),
  )
  const list = new Intl.ListFormat(getLanguage(), { type: 'unit' }).format(outcomeTexts)
  const { looked: checkedCount } = result
  return (
    <div className="request-about">
      <p>
        <Icon name="check" />
        {checkedCount === 0
          ? t('reconcile.none')
          : t('reconcile.looked', { count: checkedCount, number: formatNumber(checkedCount), list })}
      </p>
      {result.unanswered > 0 && <p>{t('reconcile.again')}</p>}
    </div>
  )
}

/** The faults themselves are on the money page. */
function MoneyCheckResult({ result: { faults } }: { result: MoneyCheckOutput }) {
  const { t } = useTranslation('activity')
  const isGood = faults.length === 0
  return (
    <div className={isGood ? 'request-about' : 'request-about request-broken'}>
      <p>
        <Icon name={isGood ? 'check' : 'alert'} />
        {isGood ? t('money.good') : t('money.faults', { count: faults.length, number: formatNumber(faults.length) })}
      </p>
    </div>
  )
}

function VerifyResult({ result: { rows, companies, broken, checkpoint_store: store } }: { result: VerifyOutput }) {
  const { t } = useTranslation('activity')
  if (broken.length === 0)
    return (
      <div className="request-about">
        <p>
          <Icon name="check" />
          {t('verify.whole', { count: rows, number: formatNumber(rows), companies: formatNumber(companies) })}
        </p>
        {store && <p>{t('verify.store')}</p>}
      </div>
    )
  return (
    <div className="request-about request-broken">
      <p>
        <Icon name="alert" />
        {t('verify.broken', { count: broken.length, number: formatNumber(broken.length) })}
      </p>
      <ul>
        {broken.map(({ company_id, company_code, id }) => (
          <li key={`${company_id} ${id}`}>{t('verify.entry', { company: company_code ?? t('verify.none'), id })}</li>
        ))}
      </ul>
      {store && <p>{t('verify.store')}</p>}
    </div>
  )
}
