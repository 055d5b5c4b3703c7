import '#features/orders/wizard-words.ts'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { AppChange } from '#features/orders/draft/submit-order.ts'

/** Which apps of a running service an order changes, as the server says it (D44). */
export function AppChanges({ info }: { info: readonly AppChange[] }) {
  const { t } = useTranslation('wizard')
  return (
    <ul className="modules-along">
      {info.map((one) => (
        <li key={one.code}>
          <code>{one.code}</code> {changeWords(one, t)}
        </li>
      ))}
    </ul>
  )
}

export const changeWords = (one: AppChange, t: TFunction<'wizard'>): string =>
  one.change === 'version' ? t('apps.version', { from: one.from, to: one.to }) : t(`apps.${one.change}`)
