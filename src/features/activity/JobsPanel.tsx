import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobList } from '#features/activity/JobList.tsx'
import { ActivityProblem, VerifyAuditTrail } from '#features/activity/VerifyAuditTrail.tsx'

/** The list beside whatever page one is on; `allPath` leads to the page of its own. */
export function JobsPanel({
  allPath,
  ServiceResult,
  onClose,
}: {
  allPath: string
  ServiceResult: ServiceResultComponent
  onClose: () => void
}) {
  const { t } = useTranslation('activity')
  const actions = (
    <>
      <VerifyAuditTrail />
      <ButtonLink to={allPath}>{t('all')}</ButtonLink>
    </>
  )
  return (
    <Dialog open side="right" title={t('title')} onClose={onClose} action={actions} cancel={null}>
      <ActivityProblem />
      <JobList ServiceResult={ServiceResult} />
    </Dialog>
  )
}
