import '#ui/icons/app-icons.ts'
import '#features/company/style.css'
import { useState } from 'react'
import { getCompany } from '#contract/accounts.ts'
import { isProvider } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { EmptyState } from '#ui/list/EmptyState.tsx'
import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { Skeleton } from '#ui/page/Skeleton.tsx'
import { useTranslation } from 'react-i18next'
import { ConsentCard } from '#features/company/consent/ConsentCard.tsx'
import { CompanyEdit } from '#features/company/components/CompanyEdit.tsx'
import type { CompanyRow } from '#features/company/form.ts'

/** The company's profile as a form (M35). Works offline once it was read. */
export function Company() {
  const { t } = useTranslation('company')
  const { caller, user } = useSignedInSession()
  const id = user.company_id
  const { record, problem, refetch } = useRecord<CompanyRow>(getCompany, { params: { id } }, { table: 'companies', id })
  const [displayedRow, setDisplayedRow] = useState(record)
  // When a session ends, its rows are deleted before the page is left. Until then the form stays, with the typed values.
  if (record && record !== displayedRow) setDisplayedRow(record)
  return (
    <Page title={t('title')} intro={t('lead')}>
      {displayedRow && <CompanyEdit overlaidRow={displayedRow} />}
      {displayedRow && !isProvider(caller) && <ConsentCard />}
      {!displayedRow && !problem && <Skeleton />}
      {!displayedRow && problem?.code === 'OFFLINE' && (
        // Offline there is neither an error nor a button: the profile is fetched when the connection is back.
        <section className="card">
          <EmptyState icon="offline" title={t('missing')}>
            <p>{t('missingOffline')}</p>
          </EmptyState>
        </section>
      )}
      {!displayedRow && problem?.code !== 'OFFLINE' && (
        <ProblemNote problem={problem} title={t('missing')} onRetry={() => void refetch()} />
      )}
    </Page>
  )
}
