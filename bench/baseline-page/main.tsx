/** The baseline page. It has only react-dom and one table with fetched rows. With `?sw` it registers a hand-written worker. */
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'

interface Row {
  id: number
  name: string
  email: string
  status: string
}

function Table() {
  const [rows, setRows] = useState<Row[]>([])
  useEffect(() => {
    void fetch('/rows')
      .then((response) => response.json())
      .then(({ data }: { data: Row[] }) => setRows(data))
  }, [])
  return (
    <table>
      <tbody>
        {rows.map(({ id, name, email, status }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>{email}</td>
            <td>{status}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const root = document.getElementById('root')
if (root) createRoot(root).render(<Table />)
if (location.search === '?sw') void navigator.serviceWorker.register('/sw.js')
