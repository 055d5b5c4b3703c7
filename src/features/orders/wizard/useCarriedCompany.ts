import { useCallback } from 'react'
import { useSearchParams } from 'react-router-dom'
import { isAllowed } from '#domain/access.ts'
import { parseId } from '#state/view-fields.ts'
import { useSignedInSession } from '#state/use-store.ts'
import { useCompanyName } from '#features/orders/wizard/fields/CompanyPicker.tsx'

/** Returns the company in `?company=`, for which the provider's staff start an order. Null for other users and other addresses. */
export function useCarriedCompany() {
  const [query, setQuery] = useSearchParams()
  const { caller } = useSignedInSession()
  const id = isAllowed('staffOrder', caller) ? parseId(query.get('company')) : null
  const name = useCompanyName(id)
  /** Removes the company from the address, so that a reload does not change the form again. */
  const onCarried = useCallback(() => setQuery({}, { replace: true }), [setQuery])
  return { company: id === null ? null : { id, name: name ?? '' }, onCarried }
}
