import { useState } from 'react'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { poNumberLimit } from '#domain/payments.ts'
import { cleanText, findHiddenCharacter, oneLinePattern } from '#domain/text.ts'

export type PoNumberField = ReturnType<typeof usePoNumber>

/**
 * The payer's purchase order number, which is printed on the invoice. Its field is collapsed until the payer wants to enter one. `readNumber`
 * returns the number of an earlier payment, which the field then shows.
 */
export function usePoNumber(readNumber: () => Promise<string | null>) {
  const { t } = useTranslation('payment')
  const [isOpen, setIsOpen] = useState(false)
  const [text, setText] = useState<string | null>(null)
  const [storedNumber, setStoredNumber] = useState<string | null>(null)
  const value = text === null ? undefined : cleanText(text)
  return {
    isOpen,
    text: text ?? storedNumber ?? '',
    /** The number to send. Undefined if the payer has typed nothing: the number of the latest attempt then stays. */
    value,
    /** Why the number cannot be sent. Null if it can. */
    error: value === undefined ? null : findError(value, t),
    open: () => {
      setIsOpen(true)
      void readNumber().then(setStoredNumber)
    },
    setText,
  }
}

function findError(value: string, t: TFunction<'payment'>): string | null {
  if (value.length > poNumberLimit) return t('po.tooLong', { limit: poNumberLimit })
  const isPlain = oneLinePattern.test(value) && findHiddenCharacter(value) === null
  return isPlain ? null : t('po.characters')
}
