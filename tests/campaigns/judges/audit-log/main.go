// Verifies an exported audit log with the packages that Go uses for its checksum database. Prints one line for each finding.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// record has either the leaf, or its hash if the reader may not see the entry.
type record struct {
	Leaf *string `json:"leaf"`
	Hash string  `json:"hash"`
}

type proofFile struct {
	Leaf       string   `json:"leaf"`
	Index      int64    `json:"index"`
	Size       int64    `json:"size"`
	Hashes     []string `json:"hashes"`
	Checkpoint string   `json:"checkpoint"`
	Key        string   `json:"key"`
}

type export struct {
	Key         string      `json:"key"`
	OldNote     string      `json:"oldNote"`
	NewNote     string      `json:"newNote"`
	Records     []record    `json:"records"`
	Proofs      []proofFile `json:"proofs"`
	Consistency []string    `json:"consistency"`
}

func report(key string, text any) { fmt.Printf("%s\t%v\n", key, text) }

func parseHash(text string) (hash tlog.Hash) {
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(bytes) != tlog.HashSize {
		report("hash", "not the base64 of 32 bytes: "+text)
	}
	copy(hash[:], bytes)
	return hash
}

func parseHashes(texts []string) []tlog.Hash {
	hashes := make([]tlog.Hash, len(texts))
	for index, text := range texts {
		hashes[index] = parseHash(text)
	}
	return hashes
}

// openTree checks the signature. A checkpoint is a tree of the checksum database with another first line: its origin.
func openTree(signedNote, key string) (tlog.Tree, error) {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open([]byte(signedNote), note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	origin, rest, _ := strings.Cut(opened.Text, "\n")
	if origin != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("the origin %q is not the name of the key", origin)
	}
	return tlog.ParseTree([]byte("go.sum database tree\n" + rest))
}

func checkProof(proof proofFile) error {
	tree, err := openTree(proof.Checkpoint, proof.Key)
	if err != nil {
		return err
	}
	if tree.N != proof.Size {
		return fmt.Errorf("the checkpoint has %d entries, not %d", tree.N, proof.Size)
	}
	return tlog.CheckRecord(parseHashes(proof.Hashes), tree.N, tree.Hash, proof.Index, tlog.RecordHash([]byte(proof.Leaf)))
}

// checkRoot builds the tree from all records and compares it with the signed root.
func checkRoot(key string, records []record, tree tlog.Tree) {
	var stored []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		hashes := make([]tlog.Hash, len(indexes))
		for position, index := range indexes {
			hashes[position] = stored[index]
		}
		return hashes, nil
	})
	for index, record := range records[:tree.N] {
		hash := parseHashOrLeaf(record)
		added, err := tlog.StoredHashesForRecordHash(int64(index), hash, reader)
		if err != nil {
			report(key, err)
			return
		}
		stored = append(stored, added...)
	}
	root, err := tlog.TreeHash(tree.N, reader)
	if err != nil || root != tree.Hash {
		report(key, fmt.Sprintf("the root of %d records is %v, signed is %v (%v)", tree.N, root, tree.Hash, err))
	}
}

func parseHashOrLeaf(record record) tlog.Hash {
	if record.Leaf != nil {
		return tlog.RecordHash([]byte(*record.Leaf))
	}
	return parseHash(record.Hash)
}

// checkRefusals makes sure that this program can fail.
func checkRefusals(data export, oldTree, newTree tlog.Tree) {
	changedNote := strings.Replace(data.NewNote, fmt.Sprintf("\n%d\n", newTree.N), fmt.Sprintf("\n%d\n", newTree.N+1), 1)
	if _, err := openTree(changedNote, data.Key); err == nil {
		report("changed note", "is accepted")
	}
	for _, proof := range data.Proofs {
		proof.Leaf += " "
		if checkProof(proof) == nil {
			report("changed leaf", "is accepted")
		}
	}
	if tlog.CheckTree(parseHashes(data.Consistency), newTree.N, newTree.Hash, oldTree.N, newTree.Hash) == nil {
		report("changed root", "is accepted")
	}
}

func main() {
	bytes, err := os.ReadFile(os.Args[1])
	var data export
	if err == nil {
		err = json.Unmarshal(bytes, &data)
	}
	if err != nil {
		report("file", err)
		return
	}
	oldTree, err := openTree(data.OldNote, data.Key)
	if err != nil {
		report("older checkpoint", err)
		return
	}
	newTree, err := openTree(data.NewNote, data.Key)
	if err != nil {
		report("newer checkpoint", err)
		return
	}
	if oldTree.N >= newTree.N || newTree.N > int64(len(data.Records)) {
		report("sizes", fmt.Sprintf("%d, %d, %d records", oldTree.N, newTree.N, len(data.Records)))
		return
	}
	checkRoot("older root", data.Records, oldTree)
	checkRoot("newer root", data.Records, newTree)
	for _, proof := range data.Proofs {
		if err := checkProof(proof); err != nil {
			report("inclusion", fmt.Sprintf("entry %d: %v", proof.Index, err))
		}
	}
	if err := tlog.CheckTree(parseHashes(data.Consistency), newTree.N, newTree.Hash, oldTree.N, oldTree.Hash); err != nil {
		report("consistency", err)
	}
	checkRefusals(data, oldTree, newTree)
	fmt.Printf("done\t%d and %d entries, %d proofs\n", oldTree.N, newTree.N, len(data.Proofs))
}
