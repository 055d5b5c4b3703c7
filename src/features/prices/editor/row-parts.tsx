import { Icon, type IconName } from '#ui/icons/Icon.tsx'

/** An icon in a row. Lighter than the button of a page, which has a hint of its own: there can be a thousand rows. */
export function RowButton({ icon, children, onClick }: { icon: IconName; children: string; onClick: () => void }) {
  return (
    <button
      type="button"
      className="button quiet bare price-row-button"
      title={children}
      aria-label={children}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

/** What keeps the list from being confirmed, beside what it is about; nothing is marked as wrong, for the list can be saved. */
export function FaultNote({ id, children }: { id?: string; children: string }) {
  if (children === '') return null
  return (
    <span className="price-fault" id={id} title={children}>
      <Icon name="alert" size={16} />
      <span>{children}</span>
    </span>
  )
}

/** Under the row, over its whole width: a cell is too narrow for a sentence. */
export function RowProblems({ id, problemTexts }: { id: string; problemTexts: Record<string, string> }) {
  return (
    <span role="cell" className="price-wrong">
      <span className="field-error" id={id}>
        <Icon name="alert" size={16} />
        {[...new Set(Object.values(problemTexts))].join(' ')}
      </span>
    </span>
  )
}
