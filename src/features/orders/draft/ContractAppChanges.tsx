import '#features/orders/wizard-words.ts'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { OrderAppChange } from '#features/orders/draft/submit-order.ts'

/** Lists the apps of a running service that an order changes (D44). */
export function ContractAppChanges({ appChanges }: { appChanges: readonly OrderAppChange[] }) {
  const { t } = useTranslation('wizard')
  return (
    <ul className="modules-along">
      {appChanges.map((change) => (
        <li key={change.code}>
          <code>{change.code}</code> {formatAppChange(change, t)}
        </li>
      ))}
    </ul>
  )
}

export const formatAppChange = (appChange: OrderAppChange, t: TFunction<'wizard'>): string =>
  appChange.change === 'version'
    ? t('apps.version', { from: appChange.from, to: appChange.to })
    : t(`apps.${appChange.change}`)
