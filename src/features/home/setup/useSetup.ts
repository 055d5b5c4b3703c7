import { useEffect, useState } from 'react'
import { getSetup, type SetupStep } from '#contract/accounts.ts'
import type { Problem } from '#contract/problem.ts'
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
 * Returns the first steps of a new company for its admins, as the server last reported them. Once a device has seen them all done or the
 * company no longer new, or the user hides them, they are never requested again there. They are not the customer's for whom a user acts
 * (decision 111).
 */
export function useSetup(): SetupState {
  const { caller } = useSignedInSession()
  const storageKey = `portal.setup.${caller.userId}`
  const [isHidden, setIsHidden] = useState(() => readHidden(storageKey))
  const isReadable = useIsReadable(caller)
  const isSkipped = isHidden || !isReadable
  const response = useRecord(getSetup, isSkipped ? null : {})
  const { record, asOf, problem, isFetching } = response
  const steps = record?.is_new ? listAllowedSteps(record.steps, caller) : []
  const isDone = steps.length > 0 && steps.every(({ state }) => state === 'done')
  // A stored answer may be old: only one that has just arrived ends the steps for good. A company that is no longer new has none.
  const isEnded = !isFetching && problem === null && record != null && (!record.is_new || isDone)
  useEffect(() => {
    if (isEnded) storeHidden(storageKey, true)
  }, [isEnded, storageKey])
  return {
    state: isSkipped ? 'known' : getState(response),
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

/** Returns `unknown` for an answer that the device could not store. */
function getState({
  record,
  problem,
  isFetching,
}: {
  record: object | null | undefined
  problem: Problem | null
  isFetching: boolean
}): SetupState['state'] {
  if (record || problem) return 'known'
  return record === null && !isFetching ? 'unknown' : 'loading'
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
