/** Protects unsaved input when the user leaves a form, with the same question in drawers and on pages (C-22). */
import { useContext, useEffect, useState } from 'react'
import { UNSAFE_NavigationContext } from 'react-router-dom'
import { Button } from '#ui/display/Button.tsx'
import { guardHistory, getHistoryIndex } from '#ui/navigation-guard/history-guard.ts'
import { popstateGuard } from '#ui/navigation-guard/popstate.ts'
import { useTranslation } from 'react-i18next'

/** Makes the browser ask before it closes a tab with unsaved input. */
export function useLeaveWarning(isDirty: boolean) {
  useEffect(() => {
    if (!isDirty) return
    const preventUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', preventUnload)
    return () => window.removeEventListener('beforeunload', preventUnload)
  }, [isDirty])
}

interface LeaveQuestionProps {
  onStay: () => void
  onLeave: () => void
  /** Replaces the texts about unsaved input, for other uses of the question. */
  texts?: { text: string; stay: string; leave: string }
}

export function LeaveQuestion({ onStay, onLeave, texts }: LeaveQuestionProps) {
  const { t } = useTranslation('ui')
  return (
    <div className="drawer-leave" role="alert">
      <p>{texts?.text ?? t('form.unsaved')}</p>
      <Button kind="danger" onClick={onLeave}>
        {texts?.leave ?? t('form.discard')}
      </Button>
      <Button autoFocus onClick={onStay}>
        {texts?.stay ?? t('form.keep')}
      </Button>
    </div>
  )
}

type NavigateAction = () => void
let isUnguarded = false
/** The step that waits for the answer to the question, or null. `clear` closes the question. */
let heldStep: { go: NavigateAction; clear: () => void } | null = null

/** Navigates without a question, for a form that has saved its input. */
export function navigateUnguarded(go: NavigateAction): void {
  isUnguarded = true
  try {
    go()
  } finally {
    isUnguarded = false
  }
}

/** Closes the question without following its step, for a form that is being saved. */
export function dropHeldStep(): void {
  heldStep?.clear()
  heldStep = null
}

/** Leaves a form that has saved its input. A link that the user followed while the form was being saved is followed instead. */
export function leaveSavedForm(go: NavigateAction): void {
  const followedStep = heldStep
  dropHeldStep()
  navigateUnguarded(followedStep?.go ?? go)
}

/**
 * Makes the browser ask before it closes the tab, and holds Back and Forward while there is unsaved input. The browser reports a step only
 * after it has happened, so the step is reverted before the router sees it. `go` of the pending step repeats it. Steps by the app itself,
 * such as closing a drawer, are not held.
 */
export function useHistoryGuard(isDirty: boolean) {
  const { navigator } = useContext(UNSAFE_NavigationContext)
  const [pendingStep, setPendingStep] = useState<{ go: NavigateAction } | null>(null)
  useLeaveWarning(isDirty)
  useEffect(() => {
    if (!pendingStep) return
    const ownStep = { go: pendingStep.go, clear: () => setPendingStep(null) }
    heldStep = ownStep
    return () => {
      if (heldStep === ownStep) heldStep = null
    }
  }, [pendingStep])
  useEffect(() => {
    if (!isDirty) return
    const { go } = navigator
    const { passStep, holdStep } = guardHistory(getHistoryIndex(history.state), go, (delta) =>
      setPendingStep({ go: () => passStep(delta) }),
    )
    Object.assign(navigator, { go: passStep })
    popstateGuard.holdStep = holdStep
    return () => {
      Object.assign(navigator, { go })
      popstateGuard.holdStep = null
    }
  }, [isDirty, navigator])
  return [pendingStep, setPendingStep] as const
}

/**
 * Holds navigation while there is unsaved input. The router can do this only with data routes (decision 15), so its functions are replaced
 * here.
 */
export function useNavigationGuard(isDirty: boolean) {
  const { navigator } = useContext(UNSAFE_NavigationContext)
  const [pendingStep, setPendingStep] = useHistoryGuard(isDirty)
  const guardAction = (go: NavigateAction) => (isDirty ? setPendingStep({ go }) : go())
  useEffect(() => {
    if (!isDirty) return
    const { push, replace } = navigator
    const guardNavigation =
      (go: typeof push): typeof push =>
      (...to) =>
        isUnguarded ? go(...to) : setPendingStep({ go: () => go(...to) })
    Object.assign(navigator, { push: guardNavigation(push), replace: guardNavigation(replace) })
    return () => void Object.assign(navigator, { push, replace })
  }, [isDirty, navigator, setPendingStep])
  const stay = () => setPendingStep(null)
  const leave = () => {
    setPendingStep(null)
    if (pendingStep) navigateUnguarded(pendingStep.go)
  }
  return { isLeaveQuestionOpen: pendingStep !== null, guardAction, stay, leave }
}
