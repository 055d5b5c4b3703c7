import { useTranslation } from 'react-i18next'
import { type ActingChange, isActingField } from '#contract/staff/acting-changes.ts'
import { useActingBlock, useIsActing } from '#state/use-store.ts'

/**
 * Returns why a field of a form is locked: the user acts for a customer, whose consent allows the call, but not this field (decision 116).
 * Null for other fields, and while the whole form is blocked, because the form then says so.
 */
export function useActingLock(call: ActingChange): (field: string) => string | null {
  const { t } = useTranslation('ui')
  const isActing = useIsActing()
  const isBlocked = useActingBlock(call) !== null
  return (field) => (isActing && !isBlocked && !isActingField(call, field) ? t('form.actingOther') : null)
}
