/** Lists every name that a file declares, from its syntax tree: variables, parameters, members, types, exports and literals of unions. */
import { parseSync } from 'vite'

export interface DeclaredName {
  name: string
  line: number
  /**
   * - member: a member of a type, an object or a class. Wire fields are such members.
   * - text: a quoted member, or a string that distinguishes the types of a union.
   * - name: everything else.
   */
  kind: 'name' | 'member' | 'text'
}

export interface FileNames {
  names: DeclaredName[]
  /** Names that other files can import, from every form of `export`. `isType` is true for interfaces and type aliases. */
  exports: { name: string; isType: boolean; isReExport: boolean }[]
}

interface Node {
  type: string
  start: number
  [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Partial<Node>).type === 'string'

const nodesOf = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [])

/** Names of members whose string value distinguishes the types of a union. */
const discriminants = new Set(['kind', 'type', 'state', 'status', 'outcome', 'result', 'reason', 'about', 'stage'])

/** Yields the identifiers that a pattern declares: `{ a: b, ...rest }` declares b and rest. */
function* listPatternNames(pattern: Node): Generator<Node> {
  switch (pattern.type) {
    case 'Identifier':
      yield pattern
      return
    case 'ObjectPattern':
      for (const property of nodesOf(pattern['properties']))
        yield* nodesOf(property['value'] ?? property['argument']).flatMap((value) => [...listPatternNames(value)])
      return
    case 'ArrayPattern':
      for (const element of nodesOf(pattern['elements'])) yield* listPatternNames(element)
      return
    case 'AssignmentPattern':
      for (const left of nodesOf(pattern['left'])) yield* listPatternNames(left)
      return
    case 'RestElement':
      for (const argument of nodesOf(pattern['argument'])) yield* listPatternNames(argument)
      return
    case 'TSParameterProperty':
      for (const parameter of nodesOf(pattern['parameter'])) yield* listPatternNames(parameter)
  }
}

const memberTypes = new Set([
  'Property',
  'TSPropertySignature',
  'TSMethodSignature',
  'PropertyDefinition',
  'MethodDefinition',
  'TSEnumMember',
  'AccessorProperty',
])
const namedTypes = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ClassDeclaration',
  'ClassExpression',
  'TSTypeAliasDeclaration',
  'TSInterfaceDeclaration',
  'TSEnumDeclaration',
  'TSTypeParameter',
  'TSModuleDeclaration',
])

const textOf = (node: Node): string | null => {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return String(node['name'])
  return node.type === 'Literal' && typeof node['value'] === 'string' ? node['value'] : null
}

function findDeclarations(node: Node, parent: Node | null): Node[] {
  if (memberTypes.has(node.type)) {
    const isShorthandPattern = parent?.type === 'ObjectPattern'
    return isShorthandPattern || node['computed'] === true ? [] : nodesOf(node['key'] ?? node['id'])
  }
  if (node.type === 'VariableDeclarator') return nodesOf(node['id']).flatMap((id) => [...listPatternNames(id)])
  if (node.type === 'CatchClause') return nodesOf(node['param']).flatMap((param) => [...listPatternNames(param)])
  if (node.type === 'ImportSpecifier') return nodesOf(node['local'])
  if (node.type === 'ImportDefaultSpecifier' || node.type === 'ImportNamespaceSpecifier') return nodesOf(node['local'])
  if (node.type === 'ExportSpecifier' || node.type === 'ExportAllDeclaration') return nodesOf(node['exported'])
  if (node.type === 'TSNamedTupleMember') return nodesOf(node['label'])
  if (node.type === 'LabeledStatement') return nodesOf(node['label'])
  const ownNames = namedTypes.has(node.type) ? nodesOf(node['id'] ?? node['name']) : []
  const parameters = nodesOf(node['params']).flatMap((parameter) => [...listPatternNames(parameter)])
  return [...ownNames, ...parameters]
}

/** Returns the string if it is part of a union or the value of a discriminating member, otherwise null. */
function findLiteral(node: Node, parent: Node | null, owner: Node | null): string | null {
  const value = node.type === 'Literal' ? textOf(node) : null
  if (value === null || !parent) return null
  if (parent.type === 'TSLiteralType') return value
  const key = owner === null ? null : nodesOf(owner['key'])[0]
  return key && key !== node && discriminants.has(textOf(key) ?? '') ? value : null
}

const typeDeclarations = new Set(['TSTypeAliasDeclaration', 'TSInterfaceDeclaration'])

function findExports(node: Node): FileNames['exports'] {
  if (node.type === 'ExportSpecifier')
    return nodesOf(node['exported']).flatMap((exportNode) => {
      const name = textOf(exportNode)
      return name === null ? [] : [{ name, isType: false, isReExport: true }]
    })
  if (node.type !== 'ExportNamedDeclaration' && node.type !== 'ExportDefaultDeclaration') return []
  return nodesOf(node['declaration']).flatMap((declaration) => {
    const ids =
      declaration.type === 'VariableDeclaration'
        ? nodesOf(declaration['declarations']).flatMap((candidate) =>
            nodesOf(candidate['id']).flatMap((id) => [...listPatternNames(id)]),
          )
        : nodesOf(declaration['id'])
    return ids.flatMap((id) => {
      const name = textOf(id)
      return name === null ? [] : [{ name, isType: typeDeclarations.has(declaration.type), isReExport: false }]
    })
  })
}

/** Parses `text` as the content of `file`, whose extension determines the language. */
export function readNames(file: string, text: string): FileNames {
  const { program } = parseSync(file, text)
  const lineStarts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)]
  const getLine = (position: number) => {
    let low = 0
    let high = lineStarts.length
    while (low + 1 < high) {
      const middle = (low + high) >> 1
      if ((lineStarts[middle] ?? 0) <= position) low = middle
      else high = middle
    }
    return low + 1
  }
  const result: FileNames = { names: [], exports: [] }
  const walk = (node: Node, parent: Node | null, owner: Node | null) => {
    for (const declaredNode of findDeclarations(node, parent)) {
      const name = textOf(declaredNode)
      const kind = declaredNode.type === 'Literal' ? 'text' : memberTypes.has(node.type) ? 'member' : 'name'
      if (name !== null) result.names.push({ name, line: getLine(declaredNode.start), kind })
    }
    const literal = findLiteral(node, parent, owner)
    if (literal !== null) result.names.push({ name: literal, line: getLine(node.start), kind: 'text' })
    result.exports.push(...findExports(node))
    const nextOwner = memberTypes.has(node.type) ? node : node.type === 'CallExpression' ? null : owner
    for (const field of Object.keys(node)) for (const child of nodesOf(node[field])) walk(child, node, nextOwner)
  }
  walk(program as unknown as Node, null, null)
  return result
}
