import { useCallback, useEffect, useRef, useState } from 'react'
import { getSetup, hideSetup, type SetupStep } from '#contract/accounts.ts'
import type { OutputOf } from '#contract/endpoint.ts'
import type { Problem } from '#contract/problem.ts'
import { type Caller, isAllowed } from '#domain/access.ts'
import { useRecord } from '#state/use-record.ts'
import { callEndpoint } from '#state/app-thunk.ts'
import { useConnection, useDispatch, useIsActing, useSignedInSession } from '#state/use-store.ts'
import type { HomeReport } from '#ui/page/home-report.ts'
import {
  isSetupHiddenOnDevice,
  readUnsentChoice,
  storeSetupHiddenOnDevice,
  storeUnsentChoice,
} from '#features/home/setup/hidden-setup.ts'
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
 * company no longer new, or the user hides them on it, they are never requested again there. They are not the customer's for whom a user acts
 * (decision 111).
 */
export function useSetup(): SetupState {
  const { caller } = useSignedInSession()
  const { userId } = caller
  const [isHiddenHere, setHiddenHere] = useState(() => isSetupHiddenOnDevice(userId))
  // Shown again by "Undo". The stored answer, and the server until the choice arrives, may still say that they are hidden.
  const [wasShownHere, setShownHere] = useState(() => readUnsentChoice(userId) === false)
  const isReadable = useIsReadable(caller)
  const sendChoice = useSendChoice(userId, isReadable)
  const isSkipped = isHiddenHere || !isReadable
  const response = useRecord(getSetup, isSkipped ? null : {})
  const { record, asOf, problem, isFetching } = response
  const visibleSteps = record ? listVisibleSteps(record, caller, wasShownHere) : null
  // A stored answer may be old: only one that has just arrived ends the steps for good. Steps that were hidden on another device are only not
  // shown, because they may be shown again there.
  const isEnded = !isFetching && problem === null && record != null && listOpenSteps(record, caller) === null
  useEffect(() => {
    if (isEnded) storeSetupHiddenOnDevice(userId, true)
  }, [isEnded, userId])
  return {
    state: isSkipped ? 'known' : getState(response),
    steps: isSkipped ? null : visibleSteps,
    asOf,
    setHidden: (next) => {
      setHiddenHere(next)
      setShownHere(!next)
      storeSetupHiddenOnDevice(userId, next)
      sendChoice(next)
    },
  }
}

/** Returns null if there is nothing to show. `isShown`: this device shows them again, so an answer about hiding them is old. */
const listVisibleSteps = (
  record: OutputOf<typeof getSetup>,
  caller: Caller,
  isShown: boolean,
): readonly SetupStep[] | null => (record.is_hidden && !isShown ? null : listOpenSteps(record, caller))

/** Returns null if all steps are done, or the company is no longer new. */
function listOpenSteps(
  { is_new: isNew, steps: allSteps }: OutputOf<typeof getSetup>,
  caller: Caller,
): readonly SetupStep[] | null {
  const steps = isNew ? listAllowedSteps(allSteps, caller) : []
  return steps.every(({ state }) => state === 'done') ? null : steps
}

/** Returns how to send the choice. One that did not arrive is sent again when the page is opened or the connection is back. */
function useSendChoice(userId: number, isReadable: boolean): (isHidden: boolean) => void {
  const dispatch = useDispatch()
  const isOnline = useConnection().networkState === 'online'
  const isSending = useRef(false)
  const shouldRepeat = useRef(false)
  const sendUnsent = useCallback(async () => {
    shouldRepeat.current = true
    // One call at a time, so that the later choice arrives last.
    if (isSending.current) return
    isSending.current = true
    let choice = readUnsentChoice(userId)
    while (choice !== null) {
      shouldRepeat.current = false
      const result = await dispatch(callEndpoint(hideSetup, { body: { hidden: choice } })).catch(() => null)
      const isStored = result?.kind === 'fresh'
      // The connection may have come back during a call that failed.
      if (!isStored && !shouldRepeat.current) break
      if (isStored && readUnsentChoice(userId) === choice) storeUnsentChoice(userId, null)
      choice = readUnsentChoice(userId)
    }
    isSending.current = false
  }, [dispatch, userId])
  useEffect(() => {
    if (isOnline && isReadable) void sendUnsent()
  }, [isOnline, isReadable, sendUnsent])
  return (isHidden) => {
    storeUnsentChoice(userId, isHidden)
    void sendUnsent()
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
