import '#features/orders/due-words.ts'
import { useCallback } from 'react'
import { describeDue, describeNamedDue, type DueSubject } from '#domain/dues.ts'
import { useTranslation } from 'react-i18next'

/** Returns a function that describes a due. With a name it says of which service: "RDS backup of 环球贸易". */
export function useDueFormatter(): (dueSubject: DueSubject, name?: string) => string {
  const { t } = useTranslation('dues')
  return useCallback(
    (dueSubject, name) => {
      const translate = t as (key: string, values: Record<string, string>) => string
      return name === undefined ? describeDue(dueSubject, translate) : describeNamedDue(dueSubject, name, translate)
    },
    [t],
  )
}
