import type { ServiceRow } from '#contract/services.ts'
import { useTranslation } from 'react-i18next'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import { useServiceOperation } from '#features/services/operations/useServiceOperation.ts'
import { useUnsendableReason } from '#patterns/useOfflineReason.ts'

/** Offers a reboot after a change of the configuration, which takes effect only after a reboot (M117). */
export function RebootOffer({ row, onClose }: { row: ServiceRow; onClose: () => void }) {
  const { t } = useTranslation('services')
  const disabledReason = useUnsendableReason(t('whyNot.offline'), null, 'rebootService')
  const { isBusy, problem, run } = useServiceOperation({ row, onStarted: onClose })
  return (
    <ActionDialog
      title={t('rebootOffer.title', { code: row.code })}
      actionLabel={t('move.reboot')}
      {...{ isBusy, disabledReason, problem, onClose }}
      problemTitle={t('failed.reboot')}
      onAction={() => void run({ kind: 'reboot', id: row.id })}
      cancel={t('rebootOffer.later')}
      shouldFocusCancel
    >
      <p>{t('rebootOffer.text')}</p>
    </ActionDialog>
  )
}
