import { type FocusEvent, useEffect, useRef, useSyncExternalStore } from 'react'
import { Link } from 'react-router-dom'
import { Dated } from '#ui/display/Dated.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { keepPlace } from '#ui/overlay/focus-back.ts'
import { useTranslation } from 'react-i18next'

export interface Toast {
  kind: 'done' | 'failed' | 'note'
  text: string
  /** Retry or Undo (C-13). */
  act?: { label: string; run: () => void }
  /** What it is about, by its name, and where that is: "Create successfully. Tim Timed – Open". */
  to?: { label: string; path: string }
  /** The text of an earlier one that this one follows up. */
  replaces?: string
}
interface Shown extends Toast {
  id: number
  /** Epoch ms. */
  at: number
}

const STAYS_MS = 6000

let shown: readonly Shown[] = []
let lastId = 0
const listeners = new Set<() => void>()
const set = (next: readonly Shown[]) => {
  shown = next
  for (const listener of listeners) listener()
}

/**
 * Says what has just happened, at the edge of the window. Errors of a form belong beside its fields, not here. What stands there
 * already is said anew in its place, not twice.
 */
export function showToast(toast: Toast): void {
  lastId += 1
  const isSame = ({ kind, text }: Toast) => kind === toast.kind && text === toast.text
  const others = shown.filter((one) => !isSame(one) && one.text !== toast.replaces)
  set([...others.slice(-3), { ...toast, id: lastId, at: Date.now() }])
}

const dismiss = (id: number) => set(shown.filter((toast) => toast.id !== id))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Success is polite and goes by itself; failure is assertive and stays until read. F8 goes to the newest. */
export function Toasts() {
  const { t } = useTranslation('ui')
  const toasts = useSyncExternalStore(subscribe, () => shown)
  const giveBack = useRef(() => {})
  const entered = ({ currentTarget, relatedTarget: from }: FocusEvent) => {
    if (from instanceof Element && currentTarget.contains(from)) return
    giveBack.current = keepPlace(from instanceof Element ? from : null)
  }
  const end = (id: number) => {
    dismiss(id)
    giveBack.current()
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'F8') document.querySelector<HTMLElement>('.toast:last-child button:last-child')?.focus()
    }
    document.addEventListener('keydown', onKey)
    // What was said in a frame that is gone, before a login perhaps, is no news in the next one.
    const isNews = ({ kind, at }: Shown) => kind === 'failed' || Date.now() - at < STAYS_MS
    if (!shown.every(isNews)) set(shown.filter(isNews))
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <section className="toasts" aria-label={t('toast.region')} onFocus={entered}>
      <div role="status">
        {toasts
          .filter(({ kind }) => kind !== 'failed')
          .map((toast) => (
            <One key={toast.id} toast={toast} end={end} />
          ))}
      </div>
      <div role="alert">
        {toasts
          .filter(({ kind }) => kind === 'failed')
          .map((toast) => (
            <One key={toast.id} toast={toast} end={end} />
          ))}
      </div>
    </section>
  )
}

function One({ toast, end }: { toast: Shown; end: (id: number) => void }) {
  const { t } = useTranslation('ui')
  return (
    // biome-ignore lint: hovering only keeps it from going
    <div className={`toast ${toast.kind}`} ref={(element) => leaveWhenRead(element, toast)}>
      <Icon name={toast.kind === 'done' ? 'check' : toast.kind === 'failed' ? 'alert' : 'info'} />
      <p>
        <Dated text={toast.text} />{' '}
        {toast.to && (
          <>
            {toast.to.label} –{' '}
            <Link to={toast.to.path} onClick={() => end(toast.id)}>
              {t('toast.open')}
              <span className="sr-only"> {toast.to.label}</span>
            </Link>
          </>
        )}
      </p>
      {toast.act && (
        <button type="button" className="button plain" onClick={() => (end(toast.id), toast.act?.run())}>
          {toast.act.label}
        </button>
      )}
      <button type="button" className="toast-close" aria-label={t('toast.close')} onClick={() => end(toast.id)}>
        <Icon name="close" size={16} />
      </button>
    </div>
  )
}

/** The clock stops while it is pointed at or has the focus, and starts anew afterwards. */
function leaveWhenRead(element: HTMLElement | null, toast: Shown) {
  if (!element || toast.kind === 'failed') return
  const timer = setInterval(() => {
    if (!element.matches(':hover, :focus-within')) dismiss(toast.id)
  }, STAYS_MS)
  return () => clearInterval(timer)
}
