import { useEffect, useState } from 'react'
import { getSetup, type SetupStep } from '#contract/accounts.ts'
import { type Caller, isAllowed } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import { useIsActing, useSignedInSession } from '#state/use-store.ts'
import type { HomeReport } from '#ui/page/home-report.ts'
import { listAllowedSteps } from '#features/home/setup/setup-steps.ts'

interface SetupState {
  state: HomeReport['state']
  /** Null if there is nothing to show: all steps are done, the company is not new, or the user has hidden the steps. */
  steps: readonly SetupStep[] | null
  /** Server time in epoch ms. */
  asOf: number | null
  setHidden: (isHidden: boolean) => void
}

/**
 * Returns the first steps of a new company for its admins, as the server last reported them. Once a device has seen them all done, or the
 * user hides them, they are never requested again there. They are not the customer's for whom a user acts (decision 111).
 */
export function useSetup(): SetupState {
  const { caller } = useSignedInSession()
  const storageKey = `portal.setup.${caller.userId}`
  const [isHidden, setIsHidden] = useState(() => readHidden(storageKey))
  const isReadable = useIsReadable(caller)
  const isSkipped = isHidden || !isReadable
  const { record, asOf, problem, isFetching } = useRecord(getSetup, isSkipped ? null : {})
  const steps = record?.is_new ? listAllowedSteps(record.steps, caller) : []
  const isDone = steps.length > 0 && steps.every(({ state }) => state === 'done')
  // A stored answer may be old: only one that has just arrived ends the steps for good.
  const isEnded = isDone && !isFetching && problem === null
  useEffect(() => {
    if (isEnded) storeHidden(storageKey, true)
  }, [isEnded, storageKey])
  return {
    state: isSkipped || record || problem || record === null ? 'known' : 'loading',
    steps: isSkipped || isDone || steps.length === 0 ? null : steps,
    asOf,
    setHidden: (next) => {
      setIsHidden(next)
      storeHidden(storageKey, next)
    },
  }
}

function useIsReadable(caller: Caller): boolean {
  const isActing = useIsActing()
  return isAllowed('admin', caller) && !isActing
}

function readHidden(storageKey: string): boolean {
  try {
    return localStorage.getItem(storageKey) === 'hidden'
  } catch {
    return false
  }
}

function storeHidden(storageKey: string, isHidden: boolean): void {
  try {
    if (isHidden) localStorage.setItem(storageKey, 'hidden')
    else localStorage.removeItem(storageKey)
  } catch {
    // The browser has no storage, so the choice lasts only as long as the page.
  }
}
