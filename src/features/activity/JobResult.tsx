import type { OutputOf } from '#contract/endpoint.ts'
import type { verifyTrail } from '#contract/audit-trail.ts'
import { number } from '#ui/list/Freshness.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

type Verified = OutputOf<typeof verifyTrail>

/** What a request came to, as its own kind says it. */
export function Found({ endpoint, body }: { endpoint: string; body: string | null }) {
  // The server's own word under that endpoint: it answers nothing that its schema does not allow.
  if (endpoint === 'verifyTrail' && body !== null) return <Checked found={JSON.parse(body) as Verified} />
  return null
}

function Checked({ found: { rows, companies, broken } }: { found: Verified }) {
  const { t } = useTranslation('activity')
  if (broken.length === 0)
    return (
      <div className="request-about">
        <p>
          <Icon name="check" />
          {t('verify.whole', { count: rows, number: number(rows), companies: number(companies) })}
        </p>
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
    </div>
  )
}
