/** Prints the running nodes of the database: `node server/cli/list-nodes.ts` with the environment of the server. */
import '#server/config/private-files.ts'
import { withApp } from '#server/cli/with-app.ts'
import { listRunningNodes, type NodeRow } from '#server/db/cluster/nodes.ts'
import { readAsSystem } from '#server/db/transaction.ts'

const formatNode = ({ id, host_name, build, role, started_at, seen_at }: NodeRow, now: number) =>
  `${id}  ${host_name}  ${role}  build ${build}  since ${new Date(started_at).toISOString()}  seen ${Math.max(0, Math.round((now - seen_at) / 1000))} s ago`

await withApp(async (app) => {
  const now = app.clock()
  const nodes = await readAsSystem(app, (db) => listRunningNodes(db, now))
  if (nodes.length === 0) console.log('No node is running.')
  for (const node of nodes) console.log(formatNode(node, now))
})
