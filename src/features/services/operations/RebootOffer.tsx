import type { ServiceRow } from '#contract/services.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { ProblemNote } from '#ui/page/ProblemNote.tsx'
import { useTranslation } from 'react-i18next'
import { useServiceOperation } from '#features/services/operations/useServiceOperation.ts'
import { useOfflineReason } from '#features/services/useOfflineReason.ts'

/** After a change of the configuration, which takes effect with a reboot (M117). */
export function RebootOffer({ row, onClose }: { row: ServiceRow; onClose: () => void }) {
  const { t } = useTranslation('services')
  const disabledReason = useOfflineReason()
  const { isBusy, problem, run } = useServiceOperation({ row, onStarted: onClose })
  const rebootButton = (
    <Button
      kind="primary"
      isBusy={isBusy}
      disabledReason={disabledReason}
      onClick={() => void run({ kind: 'reboot', id: row.id })}
    >
      {t('move.reboot')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t('rebootOffer.title', { code: row.code })}
      onClose={onClose}
      action={rebootButton}
      cancel={t('rebootOffer.later')}
      shouldFocusCancel
    >
      <div className="form">
        <ProblemNote problem={problem} title={t('failed.reboot')} shouldFocus />
        <p>{t('rebootOffer.text')}</p>
      </div>
    </Dialog>
  )
}
