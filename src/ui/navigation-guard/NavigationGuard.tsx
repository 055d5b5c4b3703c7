/** What was typed is not lost by leaving: every form asks in the same words, in a drawer and on a page (C-22). */
import { useContext, useEffect, useState } from 'react'
import { UNSAFE_NavigationContext } from 'react-router-dom'
import { Button } from '#ui/display/Button.tsx'
import { holdSteps, stepAt } from '#ui/navigation-guard/history-guard.ts'
import { steps } from '#ui/navigation-guard/popstate.ts'
import { useTranslation } from 'react-i18next'

/** The browser asks before the tab goes with unsaved words in it. */
export function useLeaveWarning(dirty: boolean) {
  useEffect(() => {
    if (!dirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [dirty])
}

interface LeaveQuestionProps {
  onStay: () => void
  onLeave: () => void
  /** Where it is not typed words that would be lost. */
  said?: { text: string; stay: string; leave: string }
}

export function LeaveQuestion({ onStay, onLeave, said }: LeaveQuestionProps) {
  const { t } = useTranslation('ui')
  return (
    <div className="drawer-leave" role="alert">
      <p>{said?.text ?? t('form.unsaved')}</p>
      <Button kind="danger" onClick={onLeave}>
        {said?.leave ?? t('form.discard')}
      </Button>
      <Button autoFocus onClick={onStay}>
        {said?.stay ?? t('form.keep')}
      </Button>
    </div>
  )
}

type Go = () => void
let free = false

/** A way that a form takes by itself, after saving: nothing is lost by it, so nobody is asked. */
export function goFreely(go: Go): void {
  free = true
  try {
    go()
  } finally {
    free = false
  }
}

/**
 * The browser asks before the tab goes with unsaved words in it. Back and Forward have happened by the time they are heard
 * of: the step is taken back before the router sees it, and `go` of what is answered takes it after all. A step that the app
 * takes by itself, as in closing a drawer, goes through.
 */
export function useHeldSteps(dirty: boolean) {
  const { navigator } = useContext(UNSAFE_NavigationContext)
  const [way, setWay] = useState<{ go: Go } | null>(null)
  useLeaveWarning(dirty)
  useEffect(() => {
    if (!dirty) return
    const { go } = navigator
    const { pass, hold } = holdSteps(stepAt(history.state), go, (delta) => setWay({ go: () => pass(delta) }))
    Object.assign(navigator, { go: pass })
    steps.hold = hold
    return () => {
      Object.assign(navigator, { go })
      steps.hold = null
    }
  }, [dirty, navigator])
  return [way, setWay] as const
}

/**
 * Holds every way to another address of the app while something is typed. The router has no blocking of its own without its
 * data routes (decision 15), so its ways of going are stood in for.
 */
export function useHeldWay(dirty: boolean) {
  const { navigator } = useContext(UNSAFE_NavigationContext)
  const [way, setWay] = useHeldSteps(dirty)
  const hold = (go: Go) => (dirty ? setWay({ go }) : go())
  useEffect(() => {
    if (!dirty) return
    const { push, replace } = navigator
    const asking =
      (go: typeof push): typeof push =>
      (...to) =>
        free ? go(...to) : setWay({ go: () => go(...to) })
    Object.assign(navigator, { push: asking(push), replace: asking(replace) })
    return () => void Object.assign(navigator, { push, replace })
  }, [dirty, navigator, setWay])
  const stay = () => setWay(null)
  const leave = () => {
    setWay(null)
    if (way) goFreely(way.go)
  }
  return { isAsked: way !== null, hold, stay, leave }
}
