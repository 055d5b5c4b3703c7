import type { Currency } from '#domain/money.ts'
import { Button } from '#ui/display/Button.tsx'
import { Dialog } from '#ui/overlay/Dialog.tsx'
import { useTranslation } from 'react-i18next'
import type { Toggle } from '#features/orders/wizard/fields/module-selection.ts'
import { type AmountChange, Difference } from '#features/orders/quote/AmountChange.tsx'
import { langOf } from '#ui/i18n/name-language.ts'

interface Props {
  toggle: Toggle
  nameOf: (code: string) => string
  currency: Currency
  change: AmountChange
  inUse: readonly string[]
  onConfirm: () => void
  onClose: () => void
}

/** Lists what one click brings or takes along, and what becomes of the amount; nothing has changed yet. */
export function ConfirmModules({ toggle, nameOf, currency, change, inUse, onConfirm, onClose }: Props) {
  const { t } = useTranslation('wizard')
  const { kind, code, along } = toggle
  const name = nameOf(code)
  const isUsed = kind === 'removing' && [code, ...along].some((one) => inUse.includes(one))
  const act = (
    <Button kind={kind === 'removing' ? 'danger' : 'primary'} onClick={onConfirm}>
      {t(kind === 'adding' ? 'confirm.add' : along.length > 0 ? 'confirm.remove' : 'confirm.removeOne')}
    </Button>
  )
  return (
    <Dialog
      open
      title={t(kind === 'adding' ? 'confirm.addTitle' : 'confirm.removeTitle', { name })}
      onClose={onClose}
      act={act}
    >
      <div className="form">
        {along.length > 0 && (
          <div>
            <p>{t(kind === 'adding' ? 'confirm.addText' : 'confirm.removeText', { name })}</p>
            <ul className="modules-along">
              {along.map((one) => (
                <li key={one}>
                  <span lang={langOf(nameOf(one))}>{nameOf(one)}</span> <code>{one}</code>
                </li>
              ))}
            </ul>
          </div>
        )}
        {isUsed && <p className="modules-used">{t('confirm.inUse')}</p>}
        <p>
          <Difference currency={currency} change={change} />
        </p>
      </div>
    </Dialog>
  )
}
