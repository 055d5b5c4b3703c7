import { describe, expect, it } from 'vitest'
import {
  chooseNode,
  getTaskLimit,
  listNodeMemory,
  requireClusterMemory,
} from '#server/drivers/hosting/docker/services/cluster-memory.ts'
import { createNode, readTasks, recordedNodeId } from '#tests/server/drivers/hosting/docker/docker-fixture.ts'

const nodes = [
  createNode(recordedNodeId),
  createNode('second', { Description: { Resources: { MemoryBytes: 2048 * 1024 * 1024 } } }),
  createNode('drained', { Spec: { Availability: 'drain' } }),
  createNode('lost', { Status: { State: 'down' } }),
]
const nodeMemory = listNodeMemory(nodes, readTasks('running'), () => false)

describe('the memory of the Swarm', () => {
  it('counts what tasks have reserved, on nodes that can get tasks', () => {
    expect(nodeMemory).toEqual([
      { id: recordedNodeId, freeMb: 512 },
      { id: 'second', freeMb: 2048 },
    ])
    expect(listNodeMemory(nodes, readTasks('running'), () => true)[0]?.freeMb).toBe(1024)
    expect(chooseNode(nodeMemory)).toBe('second')
    expect(chooseNode([])).toBeNull()
  })

  it('must have space for every task on one node, and for all tasks on the node of a volume', () => {
    const config = { memoryMb: 1000, tasks: 2 }
    expect(() => requireClusterMemory(nodeMemory, null, config, 1000)).not.toThrow()
    const error = expect.objectContaining({
      fault: 'no_memory',
      details: { tasks: '2', memory: '1000', beside: '0', needed: '2000', free: '512' },
    })
    expect(() => requireClusterMemory(nodeMemory, recordedNodeId, config, 1000)).toThrow(error)
    const noNodeError = expect.objectContaining({
      details: { tasks: '2', memory: '1000', beside: '0', needed: '2000', free: '0' },
    })
    expect(() => requireClusterMemory([], null, config, 1000)).toThrow(noNodeError)
    // The sum would be enough, but a task cannot be divided.
    expect(() => requireClusterMemory(nodeMemory, null, { memoryMb: 800, tasks: 3 }, 800)).toThrow('2560 MB')
  })

  it('is set in fixed sizes if the platform has them', () => {
    const sizes = [2048, 512, 1024]
    expect([0, 300, 513, 2048].map((memoryMb) => getTaskLimit({ memoryMb, tasks: 1 }, sizes))).toEqual([
      512, 512, 1024, 2048,
    ])
    expect(getTaskLimit({ memoryMb: 0, tasks: 1 }, null)).toBe(256)
    expect(() => getTaskLimit({ memoryMb: 2049, tasks: 1 }, sizes)).toThrow('at most 2048 MB')
  })
})
