import { useEffect, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { poNumberLimit } from '#domain/payments.ts'
import { Button } from '#ui/display/Button.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import type { PoNumberField } from '#features/orders/po-number/usePoNumber.ts'

/** A button that becomes the field for a purchase order number. Both have the same height, so that nothing below them moves. */
export function PoNumber({ field, isLocked }: { field: PoNumberField; isLocked: boolean }) {
  const { t } = useTranslation('payment')
  if (field.isOpen) return <OpenField field={field} isLocked={isLocked} />
  return (
    <div className="payment-po">
      <Button kind="plain" icon="plus" onClick={field.open}>
        {t('po.add')}
      </Button>
    </div>
  )
}

function OpenField({ field: { text, error, setText }, isLocked }: { field: PoNumberField; isLocked: boolean }) {
  const { t } = useTranslation('payment')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // The button that had the focus is gone.
  useEffect(() => input.current?.focus(), [])
  return (
    <div>
      <div className="payment-po">
        <label htmlFor={id}>{t('po.label')}</label>
        <input
          ref={input}
          id={id}
          name="po_number"
          className="input"
          autoComplete="off"
          spellCheck={false}
          // Longer text shows the error instead of being cut off.
          maxLength={poNumberLimit + 100}
          readOnly={isLocked}
          value={text}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {error && (
        <p className="field-error" id={`${id}-error`} role="alert">
          <Icon name="alert" size={16} />
          {error}
        </p>
      )}
    </div>
  )
}
