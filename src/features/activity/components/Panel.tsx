import { Dialog } from '#ui/Dialog.tsx'
import { ButtonLink } from '#ui/Button.tsx'
import { useWords } from '#ui/words.ts'
import { Requests } from '#features/activity/components/Requests.tsx'
import { VerifyProblem, VerifyTrail } from '#features/activity/components/VerifyTrail.tsx'

/** The list beside whatever page one is on; `all` leads to the page of its own. */
export function Panel({ all, onClose }: { all: string; onClose: () => void }) {
  const t = useWords('activity')
  const footer = (
    <>
      <VerifyTrail />
      <ButtonLink to={all}>{t('all')}</ButtonLink>
    </>
  )
  return (
    <Dialog open side="right" title={t('title')} onClose={onClose} footer={footer}>
      <VerifyProblem />
      <Requests />
    </Dialog>
  )
}
