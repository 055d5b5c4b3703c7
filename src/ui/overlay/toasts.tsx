import { type FocusEvent, useEffect, useRef, useSyncExternalStore } from 'react'
import { Link, useLocation } from 'react-router-dom'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { rememberFocus } from '#ui/overlay/focus-back.ts'
import { useTranslation } from 'react-i18next'

export interface ToastMessage {
  kind: 'done' | 'failed' | 'note'
  text: string
  /** Action in the toast, for example Retry or Undo (C-13). */
  action?: { label: string; onRun: () => void }
  /** Name and path of the record: "Create successfully. Tim Timed – Open". */
  link?: { label: string; path: string }
  /** Path of the page that the toast explains. It ends when the user leaves this page. */
  page?: string
  /** Text of an earlier toast that this one replaces. */
  replaces?: string
}
interface DisplayedToast extends ToastMessage {
  id: number
  /** In epoch ms. */
  displayedAt: number
}

const TOAST_DURATION_MS = 6000

let displayedToasts: readonly DisplayedToast[] = []
let lastId = 0
const listeners = new Set<() => void>()
const setToasts = (next: readonly DisplayedToast[]) => {
  displayedToasts = next
  for (const listener of listeners) listener()
}

/** Shows a message at the edge of the window. The same message is shown only once. Form errors are shown at the fields instead. */
export function showToast(toast: ToastMessage): void {
  lastId += 1
  const isSame = ({ kind, text }: ToastMessage) => kind === toast.kind && text === toast.text
  const otherToasts = displayedToasts.filter(
    (displayedToast) => !isSame(displayedToast) && displayedToast.text !== toast.replaces,
  )
  setToasts([...otherToasts.slice(-3), { ...toast, id: lastId, displayedAt: Date.now() }])
}

const endToastsOf = (page: string) => setToasts(displayedToasts.filter((toast) => toast.page !== page))

const dismiss = (id: number) => setToasts(displayedToasts.filter((toast) => toast.id !== id))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Displays the toasts. A success is announced politely and disappears; a failure is announced immediately and stays. F8 focuses the
 * first control of the latest toast, which is its action (Undo) or its link if it has one.
 */
export function Toasts() {
  const { t } = useTranslation('ui')
  const toasts = useSyncExternalStore(subscribe, () => displayedToasts)
  const { pathname } = useLocation()
  const lastPath = useRef(pathname)
  useEffect(() => {
    if (lastPath.current === pathname) return
    endToastsOf(lastPath.current)
    lastPath.current = pathname
  }, [pathname])
  const restoreFocus = useRef(() => {})
  const handleFocus = ({ currentTarget, relatedTarget: previousElement }: FocusEvent) => {
    if (previousElement instanceof Element && currentTarget.contains(previousElement)) return
    restoreFocus.current = rememberFocus(previousElement instanceof Element ? previousElement : null)
  }
  const closeToast = (id: number) => {
    dismiss(id)
    restoreFocus.current()
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'F8') focusLatestToast()
    }
    document.addEventListener('keydown', onKey)
    // Toasts that have expired are not displayed again when this component is replaced, for example at the login.
    const isRecent = ({ kind, displayedAt }: DisplayedToast) =>
      kind === 'failed' || Date.now() - displayedAt < TOAST_DURATION_MS
    if (!displayedToasts.every(isRecent)) setToasts(displayedToasts.filter(isRecent))
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <section className="toasts" aria-label={t('toast.region')} onFocus={handleFocus}>
      <div role="status">
        {toasts
          .filter(({ kind }) => kind !== 'failed')
          .map((toast) => (
            <ToastItem key={toast.id} toast={toast} closeToast={closeToast} />
          ))}
      </div>
      <div role="alert">
        {toasts
          .filter(({ kind }) => kind === 'failed')
          .map((toast) => (
            <ToastItem key={toast.id} toast={toast} closeToast={closeToast} />
          ))}
      </div>
    </section>
  )
}

/** Toasts are in two groups by urgency, so the latest one is the one with the highest id. */
function focusLatestToast() {
  const latestToast = [...document.querySelectorAll<HTMLElement>('.toast')].sort(
    (a, b) => Number(b.dataset['toast']) - Number(a.dataset['toast']),
  )[0]
  latestToast?.querySelector<HTMLElement>('a[href], button')?.focus()
}

function ToastItem({ toast, closeToast }: { toast: DisplayedToast; closeToast: (id: number) => void }) {
  const { t } = useTranslation('ui')
  return (
    // biome-ignore lint: hovering only keeps it from going
    <div className={`toast ${toast.kind}`} data-toast={toast.id} ref={(element) => dismissWhenRead(element, toast)}>
      <Icon name={toast.kind === 'done' ? 'check' : toast.kind === 'failed' ? 'alert' : 'info'} />
      <p>
        <TextWithDates text={toast.text} />{' '}
        {toast.link && (
          <>
            {toast.link.label} –{' '}
            <Link to={toast.link.path} onClick={() => closeToast(toast.id)}>
              {t('toast.open')}
              <span className="sr-only"> {toast.link.label}</span>
            </Link>
          </>
        )}
      </p>
      {toast.action && (
        <button type="button" className="button plain" onClick={() => (closeToast(toast.id), toast.action?.onRun())}>
          {toast.action.label}
        </button>
      )}
      <button type="button" className="toast-close" aria-label={t('toast.close')} onClick={() => closeToast(toast.id)}>
        <Icon name="close" size={16} />
      </button>
    </div>
  )
}

/** Removes the toast after its time. If the toast is hovered or focused then, it stays for the same time again. */
function dismissWhenRead(element: HTMLElement | null, toast: DisplayedToast) {
  if (!element || toast.kind === 'failed') return
  const timer = setInterval(() => {
    if (!element.matches(':hover, :focus-within')) dismiss(toast.id)
  }, TOAST_DURATION_MS)
  return () => clearInterval(timer)
}
