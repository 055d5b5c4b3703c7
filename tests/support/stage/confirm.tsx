/** A part of the screen that no page of today uses, put on a stage of its own. */
import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import '#ui/tokens.css'
import '#ui/base.css'
import '#ui/tag.css'
import { startWords } from '#app/i18n.ts'
import { Button } from '#ui/Button.tsx'
import { ConfirmTyped } from '#ui/ConfirmTyped.tsx'

function Stage() {
  const [open, setOpen] = useState(false)
  const [confirmed, setConfirmed] = useState(0)
  return (
    <>
      <h1>Stage</h1>
      <Button onClick={() => setOpen(true)}>Ask</Button>
      <output>{confirmed}</output>
      <ConfirmTyped
        open={open}
        title="Delete service abc"
        value="abc01"
        label="Service code"
        action="Delete service"
        busy={false}
        problem={null}
        onConfirm={() => setConfirmed(confirmed + 1)}
        onClose={() => setOpen(false)}
      >
        <p>All data of the service is lost.</p>
      </ConfirmTyped>
    </>
  )
}

await startWords()
createRoot(document.getElementById('root') as HTMLElement).render(<Stage />)
