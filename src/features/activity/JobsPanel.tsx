import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ButtonLink } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'
import type { ServiceResult } from '#features/activity/JobResult.tsx'
import { Requests } from '#features/activity/JobList.tsx'
import { ActivityProblem, VerifyTrail } from '#features/activity/VerifyAuditTrail.tsx'

/** The list beside whatever page one is on; `all` leads to the page of its own. */
export function Panel({ all, Service, onClose }: { all: string; Service: ServiceResult; onClose: () => void }) {
  const { t } = useTranslation('activity')
  const act = (
    <>
      <VerifyTrail />
      <ButtonLink to={all}>{t('all')}</ButtonLink>
    </>
  )
  return (
    <Dialog open side="right" title={t('title')} onClose={onClose} act={act} cancel={null}>
      <ActivityProblem />
      <Requests Service={Service} />
    </Dialog>
  )
}
