import '#ui/prime/overlay.css'
import { Dialog as PrimeDialog } from 'primereact/dialog'
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { Button } from '#ui/display/Button.tsx'
import { Dated } from '#ui/display/Dated.tsx'
import { langOfTitle } from '#ui/i18n/name-language.ts'
import { useTranslation } from 'react-i18next'
import { Prime } from '#ui/prime/Prime.tsx'

export default function Overlay(props: DialogProps) {
  const { title, side = 'center', wide, onClose, act, question, careful, children } = props
  const { t } = useTranslation('ui')
  const dialog = useRef<PrimeDialog>(null)
  const cancel = props.cancel === undefined ? t(act ? 'form.cancel' : 'form.close') : props.cancel
  const given = useRef<Element | null>(null)
  const begin = (at: Element | null | undefined) => {
    const place = at?.closest('[role=dialog]')
    if (place && isFree(place, given.current)) given.current = focusWithin(place, side, careful)
  }
  const focus = () => begin(dialog.current?.getElement())
  // What had the focus may go with what it has done.
  const buttons = `${Boolean(act)} ${Boolean(cancel)} ${Boolean(question)}`
  // Only when other buttons stand there.
  // oxlint-disable-next-line react/exhaustive-deps
  useEffect(focus, [buttons])
  return (
    <Prime>
      <PrimeDialog
        ref={dialog}
        visible
        header={
          <span lang={langOfTitle(title)}>
            <Dated text={title} />
          </span>
        }
        footer={
          question ??
          ((act || cancel) && (
            <>
              {act}
              {cancel && <Button onClick={onClose}>{cancel}</Button>}
            </>
          ))
        }
        position={side}
        className={side === 'right' ? 'drawer' : wide ? 'wide' : ''}
        ariaCloseIconLabel={t('form.close')}
        draggable={false}
        resizable={false}
        blockScroll
        // Its own choice is the button that closes; ours is what the dialog is about.
        focusOnShow={false}
        onShow={focus}
        onHide={onClose}
      >
        {children}
        <Drawn then={begin} />
      </PrimeDialog>
    </Prime>
  )
}

/**
 * Says once that what it stands in is drawn, and where, in the very drawing. The dialog itself says so when it has come to rest:
 * keys of the meantime would go to what lies behind it.
 */
function Drawn({ then }: { then: (at: Element | null) => void }) {
  const place = useRef<HTMLSpanElement>(null)
  // oxlint-disable-next-line react/exhaustive-deps
  useLayoutEffect(() => then(place.current), [])
  return <span ref={place} hidden />
}

const typedIn =
  'input:not([type=checkbox], [type=radio], [type=range], [type=file], [tabindex]):not(:disabled, [readonly]), textarea:not(:disabled, [readonly])'

/**
 * Whether nothing in it has asked for the focus. The cross is PrimeReact's choice where nothing has; a field may have come since
 * the focus was `given`.
 */
function isFree(dialog: Element, given: Element | null): boolean {
  const now = document.activeElement
  // One that has opened over this one meanwhile, and so stands behind it in the document, is what is typed into.
  const other = now?.closest('[role=dialog]')
  const isOver = other && dialog.compareDocumentPosition(other) === Node.DOCUMENT_POSITION_FOLLOWING
  if (isOver) return false
  return !now || now === given || !dialog.contains(now) || now.matches('.p-dialog-header-close')
}

/**
 * The first field that one types in: never one that a key changes at once. Without such a field the button that closes where
 * something would be lost, the first button of a question, and the title of a drawer, which is read (A-10, C-16).
 */
function focusWithin(dialog: Element, side: DialogProps['side'], careful = false): Element | null {
  const buttons = dialog.querySelectorAll<HTMLElement>('.p-dialog-footer .button')
  const isCareful = careful || dialog.querySelector('.p-dialog-footer .danger') !== null
  const title = dialog.querySelector<HTMLElement>('.p-dialog-title')
  const target =
    dialog.querySelector('.p-dialog-content')?.querySelector<HTMLElement>(typedIn) ??
    (side === 'right' ? title : isCareful ? buttons[buttons.length - 1] : buttons[0]) ??
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
  wide?: boolean
  onClose: () => void
  /** What can be done here. It stands before the button that closes, in every dialog. */
  act?: ReactNode
  /** What that button says, if neither "Cancel" nor, without an `act`, "Close". Null: there is none but the cross. */
  cancel?: string | null | undefined
  /** In place of both, as long as it is not answered. */
  question?: ReactNode
  /** Begins on the button that closes, as where something is lost. */
  careful?: boolean
  children: ReactNode
}
