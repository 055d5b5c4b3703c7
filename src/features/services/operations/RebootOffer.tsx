import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useOperate } from '#features/services/operations/useOperate.ts'
import { useWhyOffline } from '#features/services/useWhyOffline.ts'

/** After a change of the configuration, which takes effect with a reboot (M117). */
export function RebootOffer({ row, onClose }: { row: ServiceRow; onClose: () => void }) {
  const { t } = useTranslation('services')
  const whyNot = useWhyOffline()
  const { busy, problem, run } = useOperate({ row, onStarted: onClose })
  const act = (
    <Button kind="primary" busy={busy} whyNot={whyNot} onClick={() => run({ kind: 'reboot', id: row.id })}>
      {t('move.reboot')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('rebootOffer.title', { code: row.code })}
      onClose={onClose}
      act={act}
      cancel={t('rebootOffer.later')}
      careful
    >
      <div className="form">
        <ProblemNote problem={problem} title={t('failed.reboot')} focus />
        <p>{t('rebootOffer.text')}</p>
      </div>
    </Dialog>
  )
}
