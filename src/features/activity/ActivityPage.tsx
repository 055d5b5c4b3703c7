import { Page } from '#ui/page/Page.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResult } from '#features/activity/JobResult.tsx'
import { Requests } from '#features/activity/JobList.tsx'
import { ActivityProblem, VerifyTrail } from '#features/activity/VerifyAuditTrail.tsx'

/** Long requests, with progress and result. */
export function Activity({ Service }: { Service: ServiceResult }) {
  const { t } = useTranslation('activity')
  return (
    <Page title={t('title')} intro={t('lead')} width="narrow" action={<VerifyTrail kind="primary" />}>
      <ActivityProblem />
      <section className="card">
        <Requests Service={Service} />
      </section>
    </Page>
  )
}
