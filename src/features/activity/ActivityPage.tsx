import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobList } from '#features/activity/JobList.tsx'
import { ActivityProblem, VerifyAuditTrail } from '#features/activity/VerifyAuditTrail.tsx'

/** Long requests, with progress and result. */
export function ActivityPage({ ServiceResult }: { ServiceResult: ServiceResultComponent }) {
  const { t } = useTranslation('activity')
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow" action={<VerifyAuditTrail kind="primary" />}>
      <ActivityProblem />
      <section className="card">
        <JobList ServiceResult={ServiceResult} />
      </section>
    </Page>
  )
}
