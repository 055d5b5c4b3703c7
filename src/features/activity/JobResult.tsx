import type { ComponentType } from 'react'
import type { Activity } from '#local/jobs/read-jobs.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { verifyTrail } from '#contract/audit-trail.ts'
import type { reconcilePayments } from '#contract/payments.ts'
import { number } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'
import { languageNow } from '#ui/i18n/i18n.ts'

type Verified = OutputOf<typeof verifyTrail>
type Reconciled = OutputOf<typeof reconcilePayments>

/** What the services know to show of a task that has made a password: handed in, for a feature sees no other one. */
export type ServiceResult = ComponentType<{ request: Pick<Activity, 'intent' | 'endpoint' | 'input' | 'answer'> }>

/** D43 */
const makePassword = ['createService', 'resetServicePassword']

/** What a request came to, as its own kind says it. */
export function Found({ request, Service }: { request: Activity; Service: ServiceResult }) {
  const { endpoint, answer } = request
  if (makePassword.includes(endpoint)) return <Service request={request} />
  return answer && <Told endpoint={endpoint} body={answer.body} />
}

function Told({ endpoint, body }: { endpoint: string; body: string | null }) {
  if (body === null) return null
  // The server's own word under that endpoint: it answers nothing that its schema does not allow.
  if (endpoint === 'verifyTrail') return <Checked found={JSON.parse(body) as Verified} />
  if (endpoint === 'reconcilePayments') return <Payments found={JSON.parse(body) as Reconciled} />
  return null
}

const outcomes = ['paid', 'ended', 'waiting', 'unanswered'] as const

function Payments({ found }: { found: Reconciled }) {
  const { t } = useTranslation('activity')
  const counted = outcomes.filter((outcome) => found[outcome] > 0)
  const parts = counted.map((outcome) => t(`reconcile.${outcome}`, { number: number(found[outcome]) }))
  const list = new Intl.ListFormat(languageNow(), { type: 'unit' }).format(parts)
  const { looked } = found
  return (
    <div className="request-about">
      <p>
        <Icon name="check" />
        {looked === 0 ? t('reconcile.none') : t('reconcile.looked', { count: looked, number: number(looked), list })}
      </p>
      {found.unanswered > 0 && <p>{t('reconcile.again')}</p>}
    </div>
  )
}

function Checked({ found: { rows, companies, broken, checkpoint_store: store } }: { found: Verified }) {
  const { t } = useTranslation('activity')
  if (broken.length === 0)
    return (
      <div className="request-about">
        <p>
          <Icon name="check" />
          {t('verify.whole', { count: rows, number: number(rows), companies: number(companies) })}
        </p>
        {store && <p>{t('verify.store')}</p>}
      </div>
    )
  return (
    <div className="request-about request-broken">
      <p>
        <Icon name="alert" />
        {t('verify.broken', { count: broken.length, number: number(broken.length) })}
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
