import { useEffect } from 'react'
import { isShared } from '#local/session/shared-device.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { useLiveQuery } from '#state/live-query.ts'
import { forgetCompany, rememberCompany } from '#features/accounts/remembered-company.ts'
import { useIsActing, useSignedInSession } from '#state/use-store.ts'

/** Stores the code of the user's company for the next login, unless several people use this device (decision 114). */
export function CompanyMemory() {
  const { company_code: code } = useSignedInSession().user
  const isActing = useIsActing()
  const isSharedDevice = useLiveQuery(() => isShared(getThisDevice()), [])
  useEffect(() => {
    if (isActing) return
    if (isSharedDevice === true) forgetCompany()
    if (isSharedDevice === false) rememberCompany(code)
  }, [isActing, isSharedDevice, code])
  return null
}
