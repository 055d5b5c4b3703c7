import '#features/orders/due-words.ts'
import { useCallback } from 'react'
import { describeDue, type DueSubject } from '#domain/dues.ts'
import { useTranslation } from 'react-i18next'

export function useDueFormatter(): (dueSubject: DueSubject) => string {
  const { t } = useTranslation('dues')
  return useCallback(
    (dueSubject) => describeDue(dueSubject, t as (key: string, values: Record<string, string>) => string),
    [t],
  )
}
