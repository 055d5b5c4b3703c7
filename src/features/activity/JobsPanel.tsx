import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ButtonLink } from '#ui/display/Button.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResultComponent } from '#features/activity/JobResult.tsx'
import { JobList } from '#features/activity/JobList.tsx'
import { useJobActions } from '#features/activity/useJobActions.ts'
import { VerifyAuditTrail } from '#features/activity/VerifyAuditTrail.tsx'

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
  const { isVerifying, problem, verify, changeJob } = useJobActions()
  const actions = (
    <>
      <VerifyAuditTrail isBusy={isVerifying} onVerify={() => void verify()} />
      <ButtonLink to={allPath}>{t('all')}</ButtonLink>
    </>
  )
  return (
    <Dialog open side="right" title={t('title')} onClose={onClose} action={actions} cancel={null}>
      <ProblemNote problem={problem} shouldFocus />
      <JobList ServiceResult={ServiceResult} onChange={(change) => void changeJob(change)} />
    </Dialog>
  )
}
