import type { Currency } from '#domain/money.ts'
import { useTranslation } from 'react-i18next'
import { ActionDialog } from '#ui/form/ActionDialog.tsx'
import type { ModuleToggle } from '#features/orders/wizard/fields/module-selection.ts'
import { type PriceChange, AmountChange } from '#features/orders/quote/AmountChange.tsx'
import { getNameLang } from '#ui/i18n/name-language.ts'

interface Props {
  toggle: ModuleToggle
  getName: (code: string) => string
  currency: Currency
  change: PriceChange
  inUse: readonly string[]
  onConfirm: () => void
  onClose: () => void
}

export function ModuleChangeDialog({ toggle, getName, currency, change, inUse, onConfirm, onClose }: Props) {
  const { t } = useTranslation('wizard')
  const { kind, code, dependentCodes } = toggle
  const name = getName(code)
  const isUsed = kind === 'removing' && [code, ...dependentCodes].some((usedCode) => inUse.includes(usedCode))
  return (
    <ActionDialog
      title={t(kind === 'adding' ? 'confirm.addTitle' : 'confirm.removeTitle', { name })}
      onClose={onClose}
      kind={kind === 'removing' ? 'danger' : 'primary'}
      actionLabel={t(
        kind === 'adding' ? 'confirm.add' : dependentCodes.length > 0 ? 'confirm.remove' : 'confirm.removeOne',
      )}
      onAction={onConfirm}
    >
      {dependentCodes.length > 0 && (
        <div>
          <p>{t(kind === 'adding' ? 'confirm.addText' : 'confirm.removeText', { name })}</p>
          <ul className="modules-along">
            {dependentCodes.map((dependentCode) => (
              <li key={dependentCode}>
                <span lang={getNameLang(getName(dependentCode))}>{getName(dependentCode)}</span>{' '}
                <code>{dependentCode}</code>
              </li>
            ))}
          </ul>
        </div>
      )}
      {isUsed && <p className="modules-used">{t('confirm.inUse')}</p>}
      <p>
        <AmountChange currency={currency} change={change} />
      </p>
    </ActionDialog>
  )
}
