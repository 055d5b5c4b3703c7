import '#ui/prime/overlay.css'
import { Dialog as PrimeDialog } from 'primereact/dialog'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { useLatestCallback } from '#ui/display/useLatestCallback.ts'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { getTitleLang } from '#ui/i18n/name-language.ts'
import { useTranslation } from 'react-i18next'
import { Prime } from '#ui/prime/Prime.tsx'

export default function Dialog(props: DialogProps) {
  const { title, side = 'center', isWide, onClose, action, question, shouldFocusCancel, children } = props
  const { t } = useTranslation('ui')
  const dialog = useRef<PrimeDialog>(null)
  const cancelLabel = props.cancel === undefined ? t(action ? 'form.cancel' : 'form.close') : props.cancel
  const focusedElement = useRef<Element | null>(null)
  const moveFocus = (element: Element | null | undefined) => {
    const dialogElement = element?.closest('[role=dialog]')
    if (dialogElement && isFree(dialogElement, focusedElement.current))
      focusedElement.current = focusWithin(dialogElement, side, shouldFocusCancel)
  }
  const focusDialog = () => moveFocus(dialog.current?.getElement())
  // The focus is set again when the buttons change, because an action may remove the element that had the focus.
  const buttonsKey = `${Boolean(action)} ${Boolean(cancelLabel)} ${Boolean(question)}`
  // Runs only when the buttons change.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(focusDialog, [buttonsKey])
  return (
    <Prime>
      <PrimeDialog
        ref={dialog}
        visible
        header={
          <span lang={getTitleLang(title)}>
            <TextWithDates text={title} />
          </span>
        }
        icons={props.titleTag}
        footer={
          question ??
          ((action || cancelLabel) && (
            <>
              {action}
              {cancelLabel && <Button onClick={onClose}>{cancelLabel}</Button>}
            </>
          ))
        }
        position={side}
        className={side === 'right' ? 'drawer' : isWide ? 'wide' : ''}
        ariaCloseIconLabel={t('form.close')}
        draggable={false}
        resizable={false}
        blockScroll
        // PrimeReact would focus the close button. `focusDialog` focuses the main content instead.
        focusOnShow={false}
        onShow={focusDialog}
        onHide={onClose}
      >
        {children}
        <AfterDrawing onDrawn={moveFocus} />
      </PrimeDialog>
    </Prime>
  )
}

/**
 * Calls `onDrawn` with its element in the layout phase. PrimeReact's event comes after the animation, and keys pressed before it would be
 * lost. Calls it again when the content with the focus was replaced, such as a password by the next step. While that is loading, the title has
 * the focus.
 */
function AfterDrawing({ onDrawn }: { onDrawn: (element: Element | null) => void }) {
  const marker = useRef<HTMLSpanElement>(null)
  // oxlint-disable-next-line react/exhaustive-deps
  useLayoutEffect(() => onDrawn(marker.current), [])
  const handleChange = useLatestCallback(() => {
    const { activeElement } = document
    const isTitle = activeElement?.matches('.p-dialog-title') && activeElement.closest('[role=dialog]') === getDialog()
    // The search above this dialog has the focus itself.
    if ((activeElement === document.body || isTitle) && !document.querySelector('dialog[open]')) onDrawn(marker.current)
  })
  const getDialog = () => marker.current?.closest('[role=dialog]')
  useEffect(() => {
    const dialog = marker.current?.closest('[role=dialog]')
    if (!dialog) return
    const observer = new MutationObserver(handleChange)
    observer.observe(dialog, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [handleChange])
  return <span ref={marker} hidden />
}

const inputSelector =
  'input:not([type=checkbox], [type=radio], [type=range], [type=file], [tabindex]):not(:disabled, [readonly]), textarea:not(:disabled, [readonly])'

/**
 * Returns true if the focus may be moved: no other dialog is above, and nothing in this dialog has taken the focus, except the close
 * button, which PrimeReact focuses by default.
 */
function isFree(dialog: Element, lastFocused: Element | null): boolean {
  const activeElement = document.activeElement
  // Another dialog that was opened above this one comes later in the document. It keeps the focus.
  const otherDialog = activeElement?.closest('[role=dialog]')
  const isOtherAbove = otherDialog && dialog.compareDocumentPosition(otherDialog) === Node.DOCUMENT_POSITION_FOLLOWING
  if (isOtherAbove) return false
  return (
    !activeElement ||
    activeElement === lastFocused ||
    !dialog.contains(activeElement) ||
    activeElement.matches('.p-dialog-header-close')
  )
}

/**
 * Focuses the first text field, never a field that a single key changes. Without a text field it focuses the title of a drawer, which is
 * then read. In another dialog it focuses the close button if something would be lost, otherwise the first button (A-10, C-16).
 */
function focusWithin(dialog: Element, side: DialogProps['side'], shouldFocusCancel = false): Element | null {
  const footerButtons = dialog.querySelectorAll<HTMLElement>('.p-dialog-footer .button')
  const isCareful = shouldFocusCancel || dialog.querySelector('.p-dialog-footer .danger') !== null
  const title = dialog.querySelector<HTMLElement>('.p-dialog-title')
  const target =
    dialog.querySelector('.p-dialog-content')?.querySelector<HTMLElement>(inputSelector) ??
    (side === 'right' ? title : isCareful ? footerButtons[footerButtons.length - 1] : footerButtons[0]) ??
    title
  title?.setAttribute('tabindex', '-1')
  // Avoids scrolling to a drawer that is still sliding in.
  target?.focus({ preventScroll: true })
  return target
}

export interface DialogProps {
  open: boolean
  title: string
  /** State of what the dialog shows, next to its title. It is not part of the dialog's name. */
  titleTag?: ReactNode
  /** Position of the dialog: centred, a drawer on the right for small edits, or from below. On phones all dialogs are sheets. */
  side?: 'center' | 'right' | 'bottom'
  /** Makes the dialog wide enough for 700 px of content. */
  isWide?: boolean
  onClose: () => void
  action?: ReactNode
  /** Label of the close button, by default "Cancel" (with an `action`) or "Close". Null for no button. */
  cancel?: string | null | undefined
  /** Question that replaces both buttons until it is answered. */
  question?: ReactNode
  /** Focuses the close button first, for actions that lose something. */
  shouldFocusCancel?: boolean
  children: ReactNode
}
