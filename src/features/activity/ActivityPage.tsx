import { Page } from '#ui/page/Page.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobList } from '#features/activity/JobList.tsx'
import { useJobActions } from '#features/activity/useJobActions.ts'
import { VerifyAuditTrail } from '#features/activity/VerifyAuditTrail.tsx'

export function ActivityPage({ ServiceResult }: { ServiceResult: ServiceResultComponent }) {
  const { t } = useTranslation('activity')
  const { isVerifying, problem, verify, changeJob } = useJobActions()
  const verifyButton = <VerifyAuditTrail kind="primary" isBusy={isVerifying} onVerify={() => void verify()} />
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow" action={verifyButton}>
      <ProblemNote problem={problem} shouldFocus />
      <section className="card">
        <JobList ServiceResult={ServiceResult} onChange={(change) => void changeJob(change)} />
      </section>
    </Page>
  )
}
