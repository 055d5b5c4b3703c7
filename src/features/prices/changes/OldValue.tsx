import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { formatPriceFieldValue } from '#ui/i18n/price-field-messages.ts'
import { Icon } from '#ui/icons/Icon.tsx'

interface Props {
  /** Describes the field, so that a screen reader reads the old value. Omitted if the field's help contains it. */
  id?: string
  /** Name of the field or column, which determines the format of the value. */
  name: string
  value: string
  label: string
  onUndo: () => void
}

/**
 * The value before editing, below a changed field, with a button that restores it. The button is not a tab stop, so that Tab moves from one
 * price to the next; the key is Escape.
 */
export function OldValue({ id, name, value, label, onUndo }: Props) {
  const { t } = useTranslation('prices')
  return (
    <span className="price-old">
      <span id={id}>
        <span className="sr-only">{t('change.was')} </span>
        <s>{value.trim() === '' ? '–' : formatPriceFieldValue(name, value)}</s>
        <span className="sr-only"> {t('change.escape')}</span>
      </span>
      <button
        type="button"
        tabIndex={-1}
        className="button plain bare price-undo"
        title={t('change.undoKey')}
        aria-label={t('change.undo', { label })}
        onClick={(event) => {
          // The button disappears with the change, so the focus goes to its field.
          findInput(event.currentTarget)?.focus()
          onUndo()
        }}
      >
        <Icon name="undo" size={16} />
      </button>
    </span>
  )
}

const findContainer = (element: Element) => element.closest('.field, [role=cell]')
const findInput = (element: Element) => findContainer(element)?.querySelector<HTMLInputElement>('input')

/** Escape in a changed field restores its old value. */
export function onUndoKey(event: KeyboardEvent<HTMLElement>): void {
  const { key, target, nativeEvent } = event
  if (key !== 'Escape' || nativeEvent.isComposing || event.defaultPrevented || !(target instanceof HTMLInputElement))
    return
  const undoButton = findContainer(target)?.querySelector<HTMLButtonElement>('.price-undo')
  if (!undoButton) return
  event.preventDefault()
  undoButton.click()
}
