import '#ui/prime/overlay.css'
import { Dialog as PrimeDialog } from 'primereact/dialog'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '#ui/display/Button.tsx'
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
  // What had the focus may go with what it has done.
  const buttonsKey = `${Boolean(action)} ${Boolean(cancelLabel)} ${Boolean(question)}`
  // Only when other buttons stand there.
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
        // Its own choice is the button that closes; ours is what the dialog is about.
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
 * Says once that what it stands in is drawn, and where, in the very drawing. The dialog itself says so when it has come to rest:
 * keys of the meantime would go to what lies behind it.
 */
function AfterDrawing({ onDrawn }: { onDrawn: (element: Element | null) => void }) {
  const marker = useRef<HTMLSpanElement>(null)
  // oxlint-disable-next-line react/exhaustive-deps
  useLayoutEffect(() => onDrawn(marker.current), [])
  return <span ref={marker} hidden />
}

const inputSelector =
  'input:not([type=checkbox], [type=radio], [type=range], [type=file], [tabindex]):not(:disabled, [readonly]), textarea:not(:disabled, [readonly])'

/**
 * Whether nothing in it has asked for the focus. The cross is PrimeReact's choice where nothing has; a field may have come since
 * the focus was `given`.
 */
function isFree(dialog: Element, lastFocused: Element | null): boolean {
  const activeElement = document.activeElement
  // One that has opened over this one meanwhile, and so stands behind it in the document, is what is typed into.
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
 * The first field that one types in: never one that a key changes at once. Without such a field the button that closes where
 * something would be lost, the first button of a question, and the title of a drawer, which is read (A-10, C-16).
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
  // A drawer that still comes in is not scrolled to.
  target?.focus({ preventScroll: true })
  return target
}

export interface DialogProps {
  open: boolean
  title: string
  /** In the middle, as a drawer at the right (look: a drawer for small edits), or from below. All are sheets on a phone. */
  side?: 'center' | 'right' | 'bottom'
  /** Room for something of 700 pixels. */
  isWide?: boolean
  onClose: () => void
  /** What can be done here. It stands before the button that closes, in every dialog. */
  action?: ReactNode
  /** What that button says, if neither "Cancel" nor, without an `action`, "Close". Null: there is none but the cross. */
  cancel?: string | null | undefined
  /** In place of both, as long as it is not answered. */
  question?: ReactNode
  /** Begins on the button that closes, as where something is lost. */
  shouldFocusCancel?: boolean
  children: ReactNode
}
